package threadlab.widget;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.dflib.jjava.jupyter.kernel.comm.CommManager;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.messages.Message;
import org.dflib.jjava.jupyter.messages.MessageContext;
import org.dflib.jjava.jupyter.messages.comm.CommCloseCommand;
import org.dflib.jjava.jupyter.messages.comm.CommMsgCommand;
import org.dflib.jjava.shaded.com.google.gson.Gson;
import org.dflib.jjava.shaded.com.google.gson.GsonBuilder;
import org.dflib.jjava.shaded.com.google.gson.JsonObject;
import org.dflib.jjava.shaded.com.google.gson.reflect.TypeToken;

/**
 * A widget: state that this JVM and the page share. The page's half is a JavaScript module in the form of anywidget,
 * {@code export default { render({ model, el }) { … } }}.
 *
 * <p>A value is what JSON knows: null, a {@code Boolean}, a {@code String}, a number, a {@code List} or a {@code Map} of
 * these; all numbers that come from the page are {@code Double}s. Every method may be called from any thread. Listeners
 * run in the thread that serves the page's requests, between two cells; what one throws is reported like an error of a
 * thread.
 *
 * <p>Where no page is connected, as in a test, a widget keeps its state and shows its words.
 */
public final class Widget implements AutoCloseable {

    private static final Gson JSON = new GsonBuilder().serializeNulls().create();
    private static final TypeToken<Map<String, Object>> VALUES = new TypeToken<>() {};
    /** The kind of output that a page shows as a widget. */
    static final String VIEW = "application/vnd.jupyter.widget-view+json";

    private static final String ANYWIDGET = "anywidget";
    private static final String VERSION = "~0.11.*";

    /** That of the kernel that has installed {@link Widgets}; null where none runs. */
    static volatile CommManager manager;

    private final String words;
    /** All that a page needs to know, the state among it, as it stands now. */
    private final Map<String, Object> model = new TreeMap<>();

    private final List<BiConsumer<String, Object>> changes = new ArrayList<>();
    private final List<Consumer<Object>> messages = new ArrayList<>();
    /** Null where no page is connected, and after the end. */
    private Connection connection;

    private Widget(String words, String module, Map<String, ?> state, Comms comms) {
        this.words = Objects.requireNonNull(words, "a widget needs words for pages that cannot show it");
        model.putAll(state);
        for (var side : List.of("model", "view")) {
            model.put("_" + side + "_module", ANYWIDGET);
            model.put("_" + side + "_name", side.equals("model") ? "AnyModel" : "AnyView");
            model.put("_" + side + "_module_version", VERSION);
        }
        model.put("_esm", Objects.requireNonNull(module, "a widget needs a module for the page"));
        // modules with the same id replace each other on the page
        model.put("_anywidget_id", "widget." + Integer.toHexString(module.hashCode()));
        if (comms != null && comms.connected()) {
            connection = new Connection(comms);
            comms.open(connection, json(model));
        }
    }

    /**
     * Makes a widget and opens its connection; show it by making it a cell's value.
     *
     * @param words what is shown where the page has no widgets
     * @param module the source of a JavaScript module whose default export has a method {@code render}
     * @param state the names and values that the page begins with; no name begins with an underscore
     * @return the widget
     * @throws IllegalStateException in a kernel that cannot connect widgets
     */
    public static Widget of(String words, String module, Map<String, ?> state) {
        if (manager == null || manager instanceof Comms) {
            return new Widget(words, module, state, (Comms) manager);
        }
        throw new IllegalStateException(
                "this kernel cannot connect widgets: give its constructor a threadlab.widget.Comms");
    }

    /**
     * A value of the state.
     *
     * @param name the value's name
     * @return the value; null if there is none
     */
    public synchronized Object get(String name) {
        return model.get(name);
    }

    /**
     * Sets a value here and on all pages. Listeners hear only of changes that come from a page.
     *
     * @param name the value's name
     * @param value what JSON knows, without NaN and infinity
     * @return this widget
     */
    public synchronized Widget set(String name, Object value) {
        var sent = json(Collections.singletonMap(name, value)); // first, since it may refuse the value
        model.put(name, value);
        if (connection != null) {
            connection.update("update", sent, null);
        }
        return this;
    }

    /**
     * Sends a message to the views on all pages, which get it by {@code model.on("msg:custom", …)}.
     *
     * @param content what JSON knows
     */
    public synchronized void send(Object content) {
        if (connection != null) {
            var data = new JsonObject();
            data.addProperty("method", "custom");
            data.add("content", JSON.toJsonTree(content));
            connection.send(data, null);
        }
    }

    /**
     * Calls a listener whenever a page has changed a value ({@code model.set(…); model.save_changes()}). While the
     * kernel is busy, a page joins such changes into one.
     *
     * @param listener receives the name and the new value
     * @return this widget
     */
    public synchronized Widget onChange(BiConsumer<String, Object> listener) {
        changes.add(listener);
        return this;
    }

    /**
     * Calls a listener for each message of a page ({@code model.send(…)}), which no page delays or joins.
     *
     * @param listener receives the content
     * @return this widget
     */
    public synchronized Widget onMessage(Consumer<Object> listener) {
        messages.add(listener);
        return this;
    }

    /** Ends the connection: the page's views stay, and no longer do anything. */
    @Override
    public void close() {
        Connection open;
        synchronized (this) {
            open = connection;
            connection = null;
        }
        if (open != null) {
            open.close();
        }
    }

    /**
     * What a kernel displays.
     *
     * @return a view for pages that have widgets, and words for all others
     */
    public synchronized DisplayData view() {
        var shown = new DisplayData(words);
        if (connection != null) {
            var view = Map.of("version_major", 2, "version_minor", 0, "model_id", connection.getID());
            shown.putData(VIEW, JSON.toJsonTree(view));
        }
        return shown;
    }

    /** The words for pages that have no widgets. */
    @Override
    public String toString() {
        return words;
    }

    private static JsonObject json(Map<String, ?> values) {
        return JSON.toJsonTree(values).getAsJsonObject();
    }

    private synchronized List<BiConsumer<String, Object>> ofChanges() {
        return List.copyOf(changes);
    }

    private synchronized List<Consumer<Object>> ofMessages() {
        return List.copyOf(messages);
    }

    /** What the page says, and what it is told. */
    private final class Connection extends Comms.WidgetComm {

        private final Comms comms;

        Connection(Comms comms) {
            super(comms, UUID.randomUUID().toString());
            this.comms = comms;
        }

        private void send(JsonObject data, MessageContext cause) {
            comms.send(getID(), data, cause);
        }

        private void update(String method, JsonObject state, MessageContext cause) {
            var data = Comms.data(state);
            data.addProperty("method", method);
            send(data, cause);
        }

        @Override
        JsonObject state() {
            synchronized (Widget.this) {
                return json(model);
            }
        }

        @Override
        protected void onMessage(Message<CommMsgCommand> message) {
            var data = message.getContent().getData();
            switch (data.get("method").getAsString()) {
                case "request_state" -> update("update", state(), message);
                case "update" -> {
                    var state = data.getAsJsonObject("state");
                    var changed = JSON.fromJson(state, VALUES);
                    synchronized (Widget.this) {
                        model.putAll(changed);
                        update("echo_update", state, message); // for other pages
                    }
                    for (var listener : ofChanges()) {
                        changed.forEach((name, value) -> reported(() -> listener.accept(name, value)));
                    }
                }
                case "custom" -> {
                    var content = JSON.fromJson(data.get("content"), Object.class);
                    ofMessages().forEach(listener -> reported(() -> listener.accept(content)));
                }
                default -> {} // such as those of later versions
            }
        }

        /** An error of a listener must end neither the page's request nor those of other listeners. */
        private static void reported(Runnable listener) {
            try {
                listener.run();
            } catch (RuntimeException e) {
                var handler = Thread.getDefaultUncaughtExceptionHandler();
                if (handler != null) {
                    handler.uncaughtException(Thread.currentThread(), e);
                }
            }
        }

        @Override
        protected void onClose(Message<CommCloseCommand> message, boolean sending) {
            synchronized (Widget.this) {
                connection = null;
            }
        }
    }
}
