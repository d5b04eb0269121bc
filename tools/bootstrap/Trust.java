import java.io.OutputStreamWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;

/**
 * Writes what Java, the operating system and a file of certificates trust: into a store for Java, and beside it into a
 * file for Python. Arguments: the store, then files of certificates.
 */
class Trust {
    static void main(String[] args) throws Exception {
        var trusted = new LinkedHashSet<X509Certificate>();
        var own = Path.of(System.getProperty("java.home"), "lib/security/cacerts");
        if (Files.isRegularFile(own)) {
            add(trusted, KeyStore.getInstance(own.toFile(), (char[]) null));
        }
        var system = System.getProperty("os.name");
        var types = system.startsWith("Windows") ? new String[] {"Windows-ROOT"}
                : system.startsWith("Mac") ? new String[] {"KeychainStore-ROOT", "KeychainStore"} : new String[0];
        for (var type : types) {
            var store = KeyStore.getInstance(type);
            store.load(null, null);
            add(trusted, store);
        }
        for (int i = 1; i < args.length; i++) {
            try (var file = Files.newInputStream(Path.of(args[i]))) {
                for (var each : (Collection<?>) CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                    trusted.add((X509Certificate) each);
                }
            }
        }
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        var text = new StringBuilder();
        for (var each : trusted) {
            store.setCertificateEntry("c" + store.size(), each);
            text.append("-----BEGIN CERTIFICATE-----\n")
                    .append(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(each.getEncoded()))
                    .append("\n-----END CERTIFICATE-----\n");
        }
        var file = Path.of(args[0]);
        Files.writeString(file.resolveSibling(file.getFileName().toString().replace(".p12", ".pem")), text);
        try (var out = Files.newOutputStream(file)) {
            store.store(out, "changeit".toCharArray());
        }
    }

    private static void add(Collection<X509Certificate> trusted, KeyStore store) throws Exception {
        for (var alias : Collections.list(store.aliases())) {
            if (store.isCertificateEntry(alias) && store.getCertificate(alias) instanceof X509Certificate each) {
                trusted.add(each);
            }
        }
    }
}
