package threadlab.claim;

/** What a claim is for. It decides whether the claim is listed, and what a broken one advises. */
enum Purpose {

    /** A prediction about this machine: always listed. */
    MEASURED,

    /** What an article prints: never listed, since it did not happen here. */
    PRINTED,

    /** An exercise: listed only while it holds, since before that it is unanswered. */
    REPAIR;

    boolean lists(Verdict verdict) {
        return switch (this) {
            case MEASURED -> true;
            case PRINTED -> false;
            case REPAIR -> verdict == Verdict.HELD;
        };
    }
}
