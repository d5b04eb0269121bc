package threadlab.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;

/**
 * What is requested from a server on this machine.
 *
 * @param address of the host, resolved and checked; the generator resolves nothing
 * @param port of the server
 * @param authority the header {@code Host}
 * @param path with its query
 */
record Endpoint(String address, int port, String authority, String path) {

    /**
     * {@return the target that a URL names}
     *
     * @throws IllegalArgumentException if it is not an {@code http} URL, or its host is not this machine
     */
    static Endpoint of(String url) {
        URI uri;
        try {
            uri = new URI(new URI(String.valueOf(url)).toASCIIString());
        } catch (URISyntaxException e) {
            throw refused(url, "it is not a URL (" + e.getReason() + ")");
        }
        if (!"http".equalsIgnoreCase(uri.getScheme())) {
            throw refused(url, "it does not begin with http://, the only protocol of this load generator");
        }
        if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getPort() == 0 || uri.getPort() > 65_535) {
            throw refused(url, "it does not name a host and a port from 1 to 65,535");
        }
        var path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return new Endpoint(
                loopback(url, uri.getHost()),
                uri.getPort() < 0 ? 80 : uri.getPort(),
                uri.getRawAuthority(),
                uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery());
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(address, port);
    }

    private static String loopback(String url, String host) {
        try {
            var addresses = InetAddress.getAllByName(host);
            for (InetAddress each : addresses) {
                if (!each.isLoopbackAddress()) {
                    var resolved = each.getHostAddress();
                    var named = host.equals(resolved) ? host : host + " (" + resolved + ")";
                    throw refused(url, named + " is not a loopback address");
                }
            }
            return addresses[0].getHostAddress();
        } catch (UnknownHostException e) {
            throw refused(url, "the host " + host + " is unknown");
        }
    }

    private static IllegalArgumentException refused(String url, String reason) {
        return new IllegalArgumentException(
                "\"%s\" is refused, because %s: a load goes only to a server of this machine, such as http://127.0.0.1:8080/orders"
                        .formatted(url, reason));
    }
}
