package threadlab.plot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A picture that moves: an animated GIF that starts again when it has ended, and a player that takes its place on a page
 * that runs scripts.
 */
public final class Animation {

    private final byte[] gif;
    private final int width;
    private final int height;
    private final String description;
    private final String player;

    Animation(byte[] gif, int width, int height, String description, String player) {
        this.gif = gif;
        this.width = width;
        this.height = height;
        this.description = description;
        this.player = player;
    }

    /**
     * The GIF itself.
     *
     * @return a copy of its bytes
     */
    public byte[] bytes() {
        return gif.clone();
    }

    /**
     * The width of the picture.
     *
     * @return in pixels
     */
    public int width() {
        return width;
    }

    /**
     * The height of the picture.
     *
     * @return in pixels
     */
    public int height() {
        return height;
    }

    /**
     * What a reader who cannot see the picture is told.
     *
     * @return a sentence
     */
    public String description() {
        return description;
    }

    /**
     * What plays, pauses and steps, at most 150 kB.
     *
     * @return an HTML element {@code script} that replaces the image before it in its parent; empty for a run too long for it
     */
    public String player() {
        return player;
    }

    /**
     * Writes the GIF into a file, and over one that is there.
     *
     * @param file where to
     * @throws IOException if the file cannot be written
     */
    public void save(Path file) throws IOException {
        Files.write(file, gif);
    }

    @Override
    public String toString() {
        return description;
    }
}
