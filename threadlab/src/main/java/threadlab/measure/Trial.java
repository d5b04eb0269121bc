package threadlab.measure;

/** What a contender does in one trial. A cell writes it as a lambda: {@code n -> …}, where n is the size of the trial. */
@FunctionalInterface
public interface Trial {

    /**
     * Runs one trial.
     *
     * @param n the size of the trial
     * @return the figures, in the order in which their columns were named
     * @throws Exception any failure; it is recorded in the column {@code outcome}
     */
    double[] figures(int n) throws Exception;

    /** A trial whose wall time is the figure. */
    @FunctionalInterface
    interface Timed extends Trial {
        /**
         * Runs one trial.
         *
         * @param n the size of the trial
         * @throws Exception any failure; it is recorded in the column {@code outcome}
         */
        void run(int n) throws Exception;

        @Override
        default double[] figures(int n) throws Exception {
            run(n);
            return new double[0];
        }
    }

    /** A trial that measures one figure itself. */
    @FunctionalInterface
    interface Counted extends Trial {
        /**
         * Runs one trial.
         *
         * @param n the size of the trial
         * @return the figure, in the unit that its column names
         * @throws Exception any failure; it is recorded in the column {@code outcome}
         */
        double run(int n) throws Exception;

        @Override
        default double[] figures(int n) throws Exception {
            return new double[] {run(n)};
        }
    }
}
