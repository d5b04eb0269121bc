package threadlab.claim;

/** What came of a claim. */
public enum Verdict {

    /** The measurement agrees with the prediction. */
    HELD("✔"),

    /** It does not, or was not made. */
    BROKEN("✘"),

    /** Other programs had the CPUs, so a time or a rate says nothing about the prediction. */
    NOT_JUDGED("≈");

    private final String mark;

    Verdict(String mark) {
        this.mark = mark;
    }

    /**
     * The verdict as pages, tables and files show it.
     *
     * @return one character
     */
    public String mark() {
        return mark;
    }
}
