import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;

/** A local Flink of parallelism 1, fed from memory, whose results are counted. */
final class FlinkStream {
    private static final AtomicLong COUNT = new AtomicLong();

    static StreamExecutionEnvironment environment() {
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.createLocalEnvironment(1);
        flink.getConfig().enableObjectReuse();
        return flink;
    }

    static DataStream<Event> source(StreamExecutionEnvironment flink) {
        DataGeneratorSource<Event> source =
                new DataGeneratorSource<>(new FromMemory(), Peer.events.length, TypeInformation.of(Event.class));
        WatermarkStrategy<Event> times =
                WatermarkStrategy.<Event>forMonotonousTimestamps().withTimestampAssigner((event, old) -> event.ts);
        return flink.fromSource(source, times, "events");
    }

    static <T> long counted(StreamExecutionEnvironment flink, DataStream<T> stream) throws Exception {
        COUNT.set(0);
        stream.addSink(new Counting<>());
        flink.execute();
        return COUNT.get();
    }

    private static final class FromMemory implements GeneratorFunction<Long, Event> {
        @Override
        public Event map(Long index) {
            return Peer.events[index.intValue()];
        }
    }

    private static final class Counting<T> implements SinkFunction<T> {
        @Override
        public void invoke(T value, Context context) {
            COUNT.incrementAndGet();
        }
    }

    private FlinkStream() {}
}
