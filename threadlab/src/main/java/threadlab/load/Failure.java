package threadlab.load;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.TruncatedChunkException;

/** Why a request was not answered as it should be; each kind is a column of the table. */
enum Failure {
    /** Nothing listens on the port. */
    REFUSED("refused"),
    /** The connection was reset or closed before the answer was whole. */
    RESET("reset"),
    /** There was no whole answer in time, or no connection. */
    TIME_OUT("time-outs"),
    /** A whole answer with another status. */
    NOT_200("not 200"),
    /** Anything else: an answer that is not HTTP, or a limit of this machine, such as that on open files. */
    OTHER("other");

    final String column;

    Failure(String column) {
        this.column = column;
    }

    static Failure of(Exception e) {
        return switch (e) {
            case SocketTimeoutException _ -> TIME_OUT;
            case ConnectException c when String.valueOf(c.getMessage()).contains("refused") -> REFUSED;
            case NoHttpResponseException _, ConnectionClosedException _, TruncatedChunkException _ -> RESET;
            case SocketException s
            when String.valueOf(s.getMessage()).matches(".*(reset|Broken pipe|abort).*") -> RESET;
            case MalformedChunkCodingException _, HttpException _, IOException _ -> OTHER;
            default -> throw new IllegalStateException(e);
        };
    }
}
