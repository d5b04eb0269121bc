import java.nio.file.Path;
import org.dflib.jjava.shaded.eu.maveniverse.maven.mima.context.ContextOverrides;
import org.dflib.jjava.shaded.eu.maveniverse.maven.mima.context.Runtimes;
import org.dflib.jjava.shaded.org.eclipse.aether.artifact.DefaultArtifact;
import org.dflib.jjava.shaded.org.eclipse.aether.resolution.ArtifactRequest;

/** Puts an artifact into a folder, by the settings of Maven and a file of more; the kernel's jar holds what this takes. */
class FetchMaven {
    static void main(String[] args) throws Exception {
        var asked = ContextOverrides.create().withUserSettings(true);
        asked.withLocalRepositoryOverride(Path.of(args[1]));
        if (args.length > 2) {
            asked.withGlobalSettingsXmlOverride(Path.of(args[2]));
        }
        try (var context = Runtimes.INSTANCE.getRuntime().create(asked.build())) {
            var request = new ArtifactRequest(new DefaultArtifact(args[0]), context.remoteRepositories(), null);
            context.repositorySystem().resolveArtifact(context.repositorySystemSession(), request);
        }
    }
}
