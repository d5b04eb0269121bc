package model;

/** Random numbers that are the same on the JVM and in JavaScript: Mulberry32, in 32 bits. */
final class Dice {

    private static final double LN_2 = 0.6931471805599453;

    private int state;

    Dice(int seed) {
        state = seed;
    }

    private int next() {
        state += 0x6D2B79F5;
        int mixed = (state ^ state >>> 15) * (1 | state);
        mixed ^= mixed + (mixed ^ mixed >>> 7) * (61 | mixed);
        return mixed ^ mixed >>> 14;
    }

    /** From 0 to 1, without 1. */
    double uniform() {
        return (next() >>> 1) / 2147483648.0;
    }

    /** 1 on average: the gap between two arrivals of a Poisson process. */
    double exponential() {
        return -ln(1 - uniform());
    }

    /** The natural logarithm of a number from 0 to 1; the last bit of {@code Math.log} differs between platforms. */
    static double ln(double x) {
        int halved = 0;
        double rest = x;
        while (rest < 0.75) {
            rest *= 2;
            halved++;
        }
        // ln r = 2 (z + z³ ÷ 3 + z⁵ ÷ 5 + …), z = (r − 1) ÷ (r + 1)
        double z = (rest - 1) / (rest + 1);
        double sum = 0;
        for (int power = 21; power > 0; power -= 2) {
            sum = sum * z * z + 1.0 / power;
        }
        return 2 * z * sum - halved * LN_2;
    }
}
