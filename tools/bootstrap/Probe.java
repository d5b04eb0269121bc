import java.awt.image.BufferedImage;
import java.io.OutputStream;
import javax.imageio.ImageIO;

/** Draws a text: without libraries or fonts for it Java starts, but draws no chart. */
void main() throws Exception {
    var image = new BufferedImage(99, 9, BufferedImage.TYPE_INT_RGB);
    image.createGraphics().drawString("text", 0, 9);
    ImageIO.write(image, "png", OutputStream.nullOutputStream());
}
