package whatwaits.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

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

    /** How many members a reader is shown, and of how many holders the names. */
    private static final int SHOWN = 8;

    static final int NAMED = 3;

    /**
     * A thread of a circle.
     *
     * @param thread the thread, at its line
     * @param what it waits for
     * @param holders threads of the circle that hold it, or one of it: the first few
     * @param proven whether the JVM names the holder
     */
    public record Member(ThreadState thread, String what, List<ThreadState> holders, boolean proven) {

        /** {@return the line on which it waits} */
        public String where() {
            return thread.stack().where();
        }

        private String held() {
            if (holders.size() > NAMED) {
                return "some of these threads";
            }
            var names = holders.stream().map(holder -> holder.id() == thread.id() ? "itself" : holder.label());
            return names.collect(Collectors.joining(" or "));
        }

        /** {@return one sentence, without its full stop} */
        @Override
        public String toString() {
            var who = (proven ? "" : "probably ") + held();
            var by = what.startsWith(WaitReason.RESULT.toString()) ? ", which depends on " : ", held by ";
            return thread.label() + " waits for " + what + by + who + ", at " + where();
        }
    }

    /** {@return the lines on which its threads wait, each once} */
    public List<String> lines() {
        return members.stream().map(Member::where).distinct().toList();
    }

    /** Who is shown: of each line one, then others. */
    private List<Member> shown() {
        var lines = new HashSet<String>();
        var first = new ArrayList<Member>();
        var others = new ArrayList<Member>();
        members.forEach(member -> (lines.add(member.where()) ? first : others).add(member));
        first.addAll(others);
        return first.subList(0, Math.min(SHOWN, first.size()));
    }

    @Override
    public String toString() {
        int size = members.size();
        boolean timed = members.stream().anyMatch(one -> "TIMED_WAITING".equals(one.thread.state()));
        var until = timed ? " before a time limit ends its wait" : "";
        var how = proven
                ? "proven: the JVM names each holder"
                : "probable: it follows from the stacks of "
                        + (dumps == 1 ? "one dump, which another may refute" : "two dumps")
                        + ", and nothing in them contradicts it";
        var who = size == 1
                ? "a thread waits for what it holds itself, and does not go on" + until
                : Text.number(size) + " threads wait for each other, and none of them goes on" + until;
        var text = new StringBuilder("A circle (" + how + "): " + who);
        var wait = behind == 1 ? " more waits behind " : " more wait behind ";
        text.append(behind == 0 ? "." : "; " + Text.number(behind) + wait + (size == 1 ? "it." : "them."));
        shown().forEach(member -> text.append("\n- " + member + "."));
        if (size > SHOWN) {
            text.append("\n- and " + Text.number(size - SHOWN) + " more.");
        }
        return text.toString();
    }
}
