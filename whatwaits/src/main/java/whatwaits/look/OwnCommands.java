package whatwaits.look;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.ObjectName;

/** The commands of this JVM itself, by its bean for them: nothing is attached. */
final class OwnCommands implements Commands {

    private static final Pattern NEXT = Pattern.compile("[._](.)");

    @Override
    public String send(Duration most, String command) throws IOException {
        var words = command.split(" ", 2);
        Object[] arguments = {words.length < 2 ? new String[0] : words[1].split(" ")};
        try {
            var bean = new ObjectName("com.sun.management:type=DiagnosticCommand");
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(bean, operation(words[0]), arguments, new String[] {String[].class.getName()});
        } catch (JMException | JMRuntimeException e) {
            var why = e.getCause() == null ? e : e.getCause();
            throw new IOException(Commands.line(why.getMessage()), e);
        }
    }

    /** {@code threadDumpToFile} for {@code Thread.dump_to_file}, {@code vmInfo} for {@code VM.info}. */
    static String operation(String command) {
        int dot = command.indexOf('.');
        var rest = NEXT.matcher(command.substring(dot))
                .replaceAll(next -> next.group(1).toUpperCase(Locale.ROOT));
        return command.substring(0, dot).toLowerCase(Locale.ROOT) + rest;
    }
}
