package threadlab.support;

/** Writes numbers for people: few digits, the same on every machine. */
public final class Numbers {

    private Numbers() {}

    /**
     * Rounds to significant digits, without trailing zeros: 3 of 1234.5 are {@code 1,235}, of 0.05 {@code 0.05}.
     *
     * @param value any number
     * @param digits significant digits to keep, 1 or more; the digits before the point are always kept
     * @return the number with thousands separated by commas; {@code NaN} and {@code Infinity} as they are
     */
    public static String rounded(double value, int digits) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return value == 0 ? "0" : String.valueOf(value);
        }
        int decimals = Math.clamp(digits - 1 - (long) Math.floor(Math.log10(Math.abs(value))), 0, 12);
        var text = ("%,." + decimals + "f").formatted(value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }
}
