package threadlab.claim;

/** What a claim is for. It decides whether the claim is listed, and what advice a broken one gives. */
enum Purpose {

    /** A prediction about this machine: always listed. */
    MEASURED,

    /** Figures printed in an article: never listed, since they were not measured here. */
    PRINTED,

    /** An exercise: listed only while it holds, since before that it is unanswered. */
    REPAIR;

    boolean lists(Outcome verdict) {
        return switch (this) {
            case MEASURED -> true;
            case PRINTED -> false;
            case REPAIR -> verdict == Outcome.HELD;
        };
    }
}
