package whatwaits.rules;

import java.util.List;

/**
 * Threads that wait for each other, so that none of them goes on; one that waits for what it holds itself, too. As text
 * it says who waits where, for what, and who holds that.
 *
 * @param members the threads that wait for each other
 * @param proven whether the JVM names every holder; otherwise the circle follows from the stacks, and nothing that is seen
 *     contradicts it
 * @param dumps how many dumps show it, of one moment or two
 * @param behind how many other threads wait for these
 */
public record Circle(List<Member> members, boolean proven, int dumps, int behind) {

    /** Of how many holders the names are kept. */
    static final int NAMED = 3;

    /**
     * A thread of a circle.
     *
     * @param thread the thread, at its line
     * @param what what it waits for, such as {@code ReentrantLock@1f}; empty where there is nothing to say
     * @param holders threads of the circle that hold it, or one of it: the first few
     * @param proven whether the JVM names the holder
     */
    public record Member(ThreadState thread, String what, List<ThreadState> holders, boolean proven) {

        /** {@return the line on which it waits} */
        public String where() {
            return thread.stack().where();
        }

        WaitReason waits() {
            return thread.waits();
        }

        /** Whether it waits for a class that another thread initializes. */
        boolean ofClass() {
            return thread.blocker() == null && (waits() == WaitReason.LOCK || waits() == WaitReason.UNSEEN);
        }

        /** {@return what it waits for, in words} */
        public String awaited() {
            return Words.awaited(this);
        }

        /** {@return who holds that, in words} */
        public String held() {
            return Words.holders(this);
        }

        @Override
        public String toString() {
            return Words.of(this);
        }
    }

    /** {@return the lines on which its threads wait, each once} */
    public List<String> lines() {
        return members.stream().map(Member::where).distinct().toList();
    }

    @Override
    public String toString() {
        return Words.of(this);
    }
}
