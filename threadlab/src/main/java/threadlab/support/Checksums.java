package threadlab.support;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** The SHA-256 of every file that Maven fetches for the course, as in {@code .mvn/checksums}. */
public final class Checksums {

    private Checksums() {}

    /**
     * The jars that the course lists, as Maven's own builds resolve them; JJava's resolver adds optional ones.
     *
     * @param jars of a local repository
     * @return those of them that are listed
     * @throws IllegalStateException if one has another checksum
     * @throws IOException if one cannot be read
     */
    public static List<String> listed(List<String> jars) throws IOException {
        try (var sums = Checksums.class.getResourceAsStream("/threadlab/kernel/libraries/checksums.sha256")) {
            var lines = new String(sums.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split(" +"));
            var known = lines.collect(Collectors.toMap(line -> line[1], line -> line[0]));
            var kept = new ArrayList<String>();
            for (var jar : jars) {
                var path = jar.replace(File.separatorChar, '/');
                var named = known.keySet().stream()
                        .filter(name -> path.endsWith("/" + name))
                        .findFirst();
                if (named.isPresent()) {
                    var sum = sha256(Path.of(jar));
                    if (!sum.equals(known.get(named.get()))) {
                        throw new IllegalStateException(
                                "%s has the SHA-256 %s and not %s, which the course lists: delete it, and fetch it again"
                                        .formatted(jar, sum, known.get(named.get())));
                    }
                    kept.add(jar);
                }
            }
            return kept;
        }
    }

    private static String sha256(Path file) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each Java has it
        }
        try (var bytes = new DigestInputStream(Files.newInputStream(file), digest)) {
            bytes.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
