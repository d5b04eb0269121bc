package threadlab.plot;

import java.awt.Graphics2D;
import java.awt.Rectangle;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOInvalidTreeException;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.Table;

/**
 * Plays a trace of mounted stretches in slow motion. Each frame holds only the rectangle that differs from the frame
 * before, and in it the pixels that are as before are transparent: this keeps the file small.
 *
 * <p>XChart's own encoder needs one more library and can only write to a file, so this uses the JDK's.
 */
final class Replay {

    static final int FRAMES = 60;

    private static final int FRAME_HUNDREDTHS = 10;
    private static final int LAST_FRAME_HUNDREDTHS = 250;
    /** Up to this many threads a title names. */
    private static final int NAMED = 6;

    private static final String METADATA = "javax_imageio_gif_image_1.0";

    private final Timeline timeline;

    Replay(Table trace) {
        timeline = new Timeline(trace);
    }

    Animation animation() {
        var whole = timeline.chart();
        var palette = new Palette(List.of(draw(whole), draw(at(timeline.end() / 2))));
        var bytes = new ByteArrayOutputStream();
        var writer = ImageIO.getImageWritersByFormatName("gif").next();
        try (var out = ImageIO.createImageOutputStream(bytes)) {
            writer.setOutput(out);
            writer.prepareWriteSequence(null);
            int[] before = null;
            for (int i = 0; i <= FRAMES; i++) {
                boolean last = i == FRAMES;
                var frame = draw(last ? whole : at(timeline.end() * i / FRAMES));
                var pixels = palette.indexes(frame);
                var part = before == null
                        ? new Rectangle(frame.getWidth(), frame.getHeight())
                        : Palette.changed(before, pixels, frame.getWidth());
                var picture = palette.image(pixels, before, frame.getWidth(), part);
                append(writer, picture, part, last ? LAST_FRAME_HUNDREDTHS : FRAME_HUNDREDTHS, before == null);
                before = pixels;
            }
            writer.endWriteSequence();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            writer.dispose();
        }
        double slower = (FRAMES * FRAME_HUNDREDTHS * 10) / timeline.end();
        return new Animation(
                bytes.toByteArray(),
                whole.getWidth(),
                whole.getHeight(),
                "Replay, %s × slower than the run. %s.".formatted(Plots.number(slower), whole.getTitle()),
                timeline.player());
    }

    private XYChart at(double moment) {
        var chart = timeline.until(moment);
        var now = chart.addSeries("now", new double[] {moment, moment}, new double[] {-1, Timeline.MOST_LANES});
        now.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line);
        now.setMarker(SeriesMarkers.NONE);
        now.setLineColor(Theme.INK);
        now.setLineWidth(1.2f);
        now.setShowInLegend(false);
        var busy = timeline.busyAt(moment);
        var who = busy.isEmpty() ? "nobody" : busy.size() <= NAMED ? String.join(", ", busy) : busy.size() + " threads";
        chart.setTitle("%.0f ms: %s %s".formatted(moment, who, timeline.state()));
        return chart;
    }

    private static BufferedImage draw(XYChart chart) {
        var image = new BufferedImage(chart.getWidth(), chart.getHeight(), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        try {
            graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            chart.paint(graphics, chart.getWidth(), chart.getHeight());
        } finally {
            graphics.dispose();
        }
        return image;
    }

    private static void append(ImageWriter writer, BufferedImage image, Rectangle part, int hundredths, boolean first)
            throws IOException {
        var metadata = writer.getDefaultImageMetadata(ImageTypeSpecifier.createFromRenderedImage(image), null);
        describe(metadata, part, hundredths, first);
        writer.writeToSequence(new IIOImage(image, List.of(), metadata), null);
    }

    private static void describe(IIOMetadata metadata, Rectangle part, int hundredths, boolean first)
            throws IIOInvalidTreeException {
        var root = (IIOMetadataNode) metadata.getAsTree(METADATA);
        var place = child(root, "ImageDescriptor");
        place.setAttribute("imageLeftPosition", String.valueOf(part.x));
        place.setAttribute("imageTopPosition", String.valueOf(part.y));
        place.setAttribute("interlaceFlag", "FALSE");
        var control = child(root, "GraphicControlExtension");
        control.setAttribute("disposalMethod", "doNotDispose");
        control.setAttribute("userInputFlag", "FALSE");
        control.setAttribute("transparentColorFlag", "TRUE");
        control.setAttribute("transparentColorIndex", String.valueOf(Palette.SAME));
        control.setAttribute("delayTime", String.valueOf(hundredths));
        if (first) {
            // the extension that every viewer reads as "start again, without end"
            var loop = new IIOMetadataNode("ApplicationExtension");
            loop.setAttribute("applicationID", "NETSCAPE");
            loop.setAttribute("authenticationCode", "2.0");
            loop.setUserObject(new byte[] {1, 0, 0});
            child(root, "ApplicationExtensions").appendChild(loop);
        }
        metadata.setFromTree(METADATA, root);
    }

    private static IIOMetadataNode child(IIOMetadataNode parent, String name) {
        var found = parent.getElementsByTagName(name);
        if (found.getLength() > 0) {
            return (IIOMetadataNode) found.item(0);
        }
        var made = new IIOMetadataNode(name);
        parent.appendChild(made);
        return made;
    }
}
