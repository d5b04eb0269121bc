package whatwaits.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * A verdict as maps, lists, numbers and texts, of which JSON is made: for scripts and for the page. What is not known is
 * left out, so 0 and an empty list mean what they say. The names are those of {@code report.schema.json}.
 */
public final class Data {

    /** The number of this format: it grows when a name is taken away or gets another meaning. */
    public static final int FORMAT = 1;

    private final Map<String, Object> parts = new LinkedHashMap<>();

    private Data() {}

    private Data put(String name, Object value) {
        boolean known = value != null && !"".equals(value);
        if (known && value instanceof Double number) {
            known = !number.isNaN() && !number.isInfinite();
        }
        if (known) {
            parts.put(name, value);
        }
        return this;
    }

    /**
     * {@return what was found: all that is named, in order, and what it was chosen from}
     *
     * @param verdict on a service
     */
    public static Map<String, Object> of(Verdict verdict) {
        var dump = verdict.dump();
        return new Data()
                .put("verdict", verdict.sentence())
                .put("undecided", verdict.undecided().map(Data::of).orElse(null))
                .put("requestsPerSecond", verdict.throughput())
                .put("latencySeconds", verdict.seen().requests().mean())
                .put("inside", verdict.inside())
                .put("limits", all(verdict.limits(), limit -> of(limit, verdict)))
                .put("circles", all(dump.circles(), Data::of))
                .put("groups", all(dump.groups(), Data::whole))
                .put("threads", dump.threads().size())
                .put("virtual", dump.virtualThreads())
                .put("onCarriers", dump.mounted())
                .put("queued", dump.count(WaitReason.CARRIER))
                .put("parked", dump.parked())
                .parts;
    }

    /**
     * {@return something that is named}
     *
     * @param finding it
     */
    public static Map<String, Object> of(Finding finding) {
        return new Data()
                .put("what", key(finding.what()))
                .put("kind", finding.kind())
                .put("name", finding.thing().name())
                .put("class", finding.thing().type())
                .put("object", finding.thing().object())
                .put("line", finding.line())
                .put("waiting", finding.waiting())
                .put("waiters", places(finding.waiters()))
                .put("holders", places(finding.holders()))
                .parts;
    }

    /** Each of some as a map. */
    private static <T> List<Map<String, Object>> all(List<T> some, Function<T, Data> data) {
        return some.stream().map(one -> data.apply(one).parts).toList();
    }

    private static List<Map<String, Object>> places(List<Finding.Place> places) {
        return all(places, place -> new Data()
                .put("line", place.line())
                .put("threads", place.threads())
                .put("names", place.names()));
    }

    /**
     * {@return what lasts through several dumps}
     *
     * @param series the dumps
     */
    public static Map<String, Object> of(Series series) {
        int dumps = series.moments().size();
        var times = series.moments().stream().map(Moment::time).filter(Objects::nonNull);
        return new Data()
                .put("dumps", dumps)
                .put("seconds", series.seconds())
                .put("times", times.toList())
                .put("still", all(series.still(), still -> of(still.group())
                        .put("dumps", dumps - still.since())
                        .put("since", still.time())
                        .put("names", names(still.group().threads()))
                        .put("sentence", still.sentence(dumps))))
                .put("holders", all(series.holders(), one -> thread(one.holder())
                        .put("what", Finding.Thing.stable(one.what()))))
                .put("cpus", all(series.uses(), one -> thread(one.thread()).put("cpus", one.cpus())))
                .parts;
    }

    private static Data thread(ThreadState thread) {
        return new Data().put("name", thread.label()).put("line", thread.stack().where());
    }

    private static Data of(Group group) {
        return new Data()
                .put("waitsFor", key(group.waits()))
                .put("what", Finding.Thing.stable(group.what()))
                .put("threads", group.size())
                .put("virtual", group.virtual())
                .put("line", group.where());
    }

    private static final int NAMES = 8;

    private static List<String> names(List<ThreadState> threads) {
        return threads.stream().limit(NAMES).map(ThreadState::label).toList();
    }

    private static Map<String, Object> of(Undecided open) {
        return new Data()
                .put("kind", open.kind())
                .put("why", open.why())
                .put("command", open.command())
                .put("line", open.line())
                .parts;
    }

    private static Data of(Limit limit, Verdict verdict) {
        return new Data()
                .put("kind", key(limit.kind()))
                .put("name", Finding.Thing.stable(limit.name()))
                .put("inUse", limit.inUse())
                .put("of", limit.of())
                .put("waiting", limit.waiting())
                .put("met", verdict.met().contains(limit))
                .put("seenIn", limit.seenIn());
    }

    private static Data of(Circle circle) {
        return new Data()
                .put("proven", circle.proven())
                .put("dumps", circle.dumps())
                .put("behind", circle.behind())
                .put("threads", all(circle.members(), Data::of));
    }

    private static Data of(Circle.Member member) {
        return thread(member.thread())
                .put("virtual", member.thread().virtual())
                .put("waitsFor", key(member.waits()))
                .put("what", Finding.Thing.stable(member.what()))
                .put("object", member.thread().blocker())
                .put("proven", member.proven())
                .put("heldBy", member.holders().stream().map(ThreadState::label).toList())
                .put("sentence", Words.of(member));
    }

    private static Data whole(Group group) {
        var blockers =
                group.threads().stream().map(ThreadState::blocker).distinct().toList();
        return of(group)
                .put("object", blockers.size() == 1 ? blockers.getFirst() : null)
                .put("onCarriers", group.mounted())
                .put("heldBy", group.holder())
                .put("sentence", group.sentence());
    }

    /**
     * {@return a constant's name for programs}
     *
     * @param constant such as {@code WaitReason.LOCK}
     */
    public static String key(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
