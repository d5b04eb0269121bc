package whatwaits.rules;

/** Writes numbers for people, the same on every machine and in every locale. */
final class Text {

    private Text() {}

    /** {@code 1,234 threads}, {@code 1 thread}. */
    static String count(long n, String what) {
        return number(n) + " " + what + (n == 1 ? "" : "s");
    }

    /** With thousands separated by commas. */
    static String number(long n) {
        var digits = String.valueOf(n);
        for (int at = digits.length() - 3; at > (n < 0 ? 1 : 0); at -= 3) {
            digits = digits.substring(0, at) + "," + digits.substring(at);
        }
        return digits;
    }

    /** Rounded to significant digits, without trailing zeros; the digits before the point are always kept. */
    static String rounded(double value, int digits) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return value == 0 ? "0" : String.valueOf(value);
        }
        long least = 1;
        for (int i = 1; i < digits; i++) {
            least *= 10;
        }
        long scale = 1;
        // not by a logarithm, whose last bit differs between the JVM and JavaScript
        while (Math.abs(value) * scale < least && scale < 1_000_000_000_000L) {
            scale *= 10;
        }
        long scaled = Math.round(Math.abs(value) * scale);
        var fraction = String.valueOf(scale + scaled % scale).substring(1).replaceFirst("0+$", "");
        return (value < 0 ? "-" : "") + number(scaled / scale) + (fraction.isEmpty() ? "" : "." + fraction);
    }
}
