import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** The patterns in Flink's CEP library, on event time. */
public final class FlinkCep {
    public static void main(String[] arguments) throws Exception {
        Peer.serve(arguments, FlinkCep::count);
    }

    private static long count(String name) throws Exception {
        StreamExecutionEnvironment flink = FlinkStream.environment();
        DataStream<Event> events = FlinkStream.source(flink);
        if (name.equals("source")) {
            return FlinkStream.counted(flink, events);
        }
        DataStream<Found> matches =
                CEP.pattern(events.keyBy(event -> event.symbol), pattern(name))
                        .process(new AsFound(), TypeInformation.of(Found.class));
        return FlinkStream.counted(flink, matches);
    }

    private static Pattern<Event, ?> pattern(String name) {
        Duration window = Duration.ofSeconds(10);
        Pattern<Event, Event> begun = Pattern.begin("a");
        switch (name) {
            case "QA next":
                return begun.where(kind("A", 0)).followedBy("b").where(above("B")).within(window);
            case "QA any":
                return begun.where(kind("A", 0)).followedByAny("b").where(above("B")).within(window);
            case "QB":
                return begun.where(kind("A", 800))
                        .followedBy("b")
                        .where(above("B"))
                        .followedBy("c")
                        .where(below("C"))
                        .within(window);
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static SimpleCondition<Event> kind(String kind, double over) {
        return SimpleCondition.of(event -> event.kind.equals(kind) && event.price > over);
    }

    private static IterativeCondition<Event> above(String kind) {
        return new AgainstFirst(kind, 1);
    }

    private static IterativeCondition<Event> below(String kind) {
        return new AgainstFirst(kind, -1);
    }

    /** An event of this kind whose price is above, or below, that of the first. */
    private static final class AgainstFirst extends IterativeCondition<Event> {
        private final String kind;
        private final int sign;

        AgainstFirst(String kind, int sign) {
            this.kind = kind;
            this.sign = sign;
        }

        @Override
        public boolean filter(Event event, Context<Event> context) throws Exception {
            if (!event.kind.equals(kind)) {
                return false;
            }
            Event first = context.getEventsForPattern("a").iterator().next();
            return sign * Double.compare(event.price, first.price) > 0;
        }
    }

    /** A match: its key, and the times of its first and last event. */
    public static class Found {
        public String symbol;
        public long first;
        public long last;
    }

    private static final class AsFound extends PatternProcessFunction<Event, Found> {
        @Override
        public void processMatch(Map<String, List<Event>> match, Context context, Collector<Found> out) {
            Found found = new Found();
            found.symbol = match.get("a").get(0).symbol;
            found.first = match.get("a").get(0).ts;
            found.last = match.get(match.containsKey("c") ? "c" : "b").get(0).ts;
            out.collect(found);
        }
    }

    private FlinkCep() {}
}
