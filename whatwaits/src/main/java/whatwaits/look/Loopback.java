package whatwaits.look;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.stream.Stream;

/** Keeps what is asked or loaded on this machine. */
public final class Loopback {

    private Loopback() {}

    /**
     * Refuses an address elsewhere.
     *
     * @param address a URL
     * @param example of one that is allowed
     * @return the same address
     * @throws IllegalArgumentException with one sentence, if its host is not this machine's loopback interface
     */
    public static URI require(String address, String example) {
        var url = URI.create(address);
        try {
            var host = url.getHost();
            if (host != null
                    && Stream.of(InetAddress.getAllByName(host.replaceAll("[\\[\\]]", "")))
                            .allMatch(InetAddress::isLoopbackAddress)) {
                return url;
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(
                    "%s names an unknown host: name a service of this machine, such as %s".formatted(address, example));
        }
        throw new IllegalArgumentException(
                "%s is not on this machine's loopback interface: name a service of this machine, such as %s"
                        .formatted(address, example));
    }
}
