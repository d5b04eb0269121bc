package threadlab.plot;

import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.IndexColorModel;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The 255 colours that a film may use, the most frequent ones of its pictures, and one index for "as before". */
final class Palette {

    /** The index of a pixel that stays as it was. */
    static final int SAME = 255;

    private final int[] colors;
    private final IndexColorModel model;
    private final Map<Integer, Integer> nearest = new HashMap<>();

    Palette(List<BufferedImage> pictures) {
        var counts = new HashMap<Integer, Integer>();
        pictures.stream()
                .flatMapToInt(picture -> Arrays.stream(pixels(picture)))
                .forEach(color -> counts.merge(color, 1, Integer::sum));
        colors = counts.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .limit(SAME)
                .mapToInt(Map.Entry::getKey)
                .toArray();
        var map = Arrays.copyOf(colors, SAME + 1);
        model = new IndexColorModel(8, map.length, map, 0, false, SAME, DataBuffer.TYPE_BYTE);
    }

    private static int[] pixels(BufferedImage picture) {
        int width = picture.getWidth();
        return picture.getRGB(0, 0, width, picture.getHeight(), null, 0, width);
    }

    /** Each pixel as the index of the nearest colour. */
    int[] indexes(BufferedImage picture) {
        var indexes = pixels(picture);
        int color = indexes[0];
        int index = nearest.computeIfAbsent(color, this::search);
        for (int i = 0; i < indexes.length; i++) {
            // most pixels have their neighbour's colour: ask the map only where it changes
            if (indexes[i] != color) {
                color = indexes[i];
                index = nearest.computeIfAbsent(color, this::search);
            }
            indexes[i] = index;
        }
        return indexes;
    }

    private int search(int color) {
        int best = 0;
        for (int i = 1; i < colors.length; i++) {
            if (distance(colors[i], color) < distance(colors[best], color)) {
                best = i;
            }
        }
        return best;
    }

    private static int distance(int a, int b) {
        int red = (a >> 16 & 255) - (b >> 16 & 255);
        int green = (a >> 8 & 255) - (b >> 8 & 255);
        int blue = (a & 255) - (b & 255);
        return red * red + green * green + blue * blue;
    }

    /** The smallest rectangle around what has changed; one pixel where nothing has. */
    static Rectangle changed(int[] before, int[] after, int width) {
        var changed = new Rectangle(0, 0, -1, -1);
        for (int y = 0; y < after.length / width; y++) {
            int row = y * width;
            int left = Arrays.mismatch(before, row, row + width, after, row, row + width);
            if (left >= 0) {
                int right = width - 1;
                while (before[row + right] == after[row + right]) {
                    right--;
                }
                changed.add(new Rectangle(left, y, right - left + 1, 1));
            }
        }
        return changed.isEmpty() ? new Rectangle(1, 1) : changed;
    }

    /**
     * A picture of what has changed.
     *
     * @param before the picture that it lies on, or null for none
     * @param part where to look
     */
    BufferedImage image(int[] indexes, int[] before, int width, Rectangle part) {
        var image = new BufferedImage(part.width, part.height, BufferedImage.TYPE_BYTE_INDEXED, model);
        var data = ((DataBufferByte) image.getRaster().getDataBuffer()).getData();
        for (int i = 0; i < data.length; i++) {
            int at = (part.y + i / part.width) * width + part.x + i % part.width;
            boolean same = before != null && before[at] == indexes[at];
            data[i] = (byte) (same ? SAME : indexes[at]);
        }
        return image;
    }
}
