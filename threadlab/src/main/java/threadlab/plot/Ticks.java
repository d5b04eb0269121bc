package threadlab.plot;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Chooses the places on an axis that get a label. */
final class Ticks {

    /** How many measured sizes have room for their labels; with more, the axis gets round numbers. */
    private static final int MOST_SIZES = 12;

    private Ticks() {}

    /** The measured sizes, and the zero at which a linear axis begins; round numbers if no sizes are known. */
    static double[] across(double[] sizes, double min, double max, boolean logarithmic) {
        var inside = Arrays.stream(sizes)
                .filter(size -> size >= min && size <= max)
                .distinct()
                .sorted()
                .toArray();
        if (inside.length == 0 || inside.length > MOST_SIZES) {
            return logarithmic && max / min >= 100 ? logarithmic(min, max, 1) : between(min, max, logarithmic, 10);
        }
        var withZero =
                DoubleStream.concat(DoubleStream.of(0), Arrays.stream(inside)).distinct();
        return !logarithmic && min == 0 ? withZero.toArray() : inside;
    }

    /** Round numbers in a range: on a logarithmic axis the powers of ten, and 2 and 5 times them if there are few. */
    static double[] between(double min, double max, boolean logarithmic, int most) {
        if (!logarithmic || min <= 0) {
            return linear(min, max, most);
        }
        return max / min < 1_000 ? logarithmic(min, max, 1, 2, 5) : logarithmic(min, max, 1);
    }

    private static double[] linear(double min, double max, int most) {
        double least = (max - min) / most;
        if (!(least > 0)) {
            return new double[] {min};
        }
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        double apart = DoubleStream.of(1, 2, 5, 10)
                .map(by -> by * power)
                .filter(by -> by >= least * 0.999)
                .findFirst()
                .orElseThrow();
        long first = (long) Math.ceil(min / apart - 1e-9);
        long last = (long) Math.floor(max / apart + 1e-9);
        return IntStream.rangeClosed(0, (int) (last - first))
                .mapToDouble(i -> (first + i) * apart)
                .toArray();
    }

    /** Some multiples of the powers of ten. */
    private static double[] logarithmic(double min, double max, double... multiples) {
        return IntStream.rangeClosed((int) Math.floor(Math.log10(min)), (int) Math.ceil(Math.log10(max)))
                .boxed()
                .flatMapToDouble(power -> Arrays.stream(multiples).map(by -> by * Math.pow(10, power)))
                .filter(tick -> tick >= min * 0.999 && tick <= max * 1.001)
                .toArray();
    }
}
