package io.rowlock.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One value of the Redis protocol: a request, an answer or a message.
 *
 * @param type its first byte
 * @param bytes all of it, as it was sent
 * @param parts its text, or those of its elements
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nothing
record RespValue(char type, byte[] bytes, List<String> parts) {
    private static final String BULKS = "$=!";
    private static final String LISTS = "*>~";
    private static final String MAPS = "%|";

    /** @return null at the end of the stream */
    static RespValue read(DataInputStream in) throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<String> parts = rest((char) first, in, bytes);
        return new RespValue((char) first, bytes.toByteArray(), parts);
    }

    private static List<String> rest(char type, DataInputStream in, ByteArrayOutputStream bytes) throws IOException {
        bytes.write(type);
        String line = line(in, bytes);
        if (BULKS.indexOf(type) >= 0) {
            return List.of(bulk(Integer.parseInt(line), in, bytes));
        }
        boolean isMap = MAPS.indexOf(type) >= 0;
        if (!isMap && LISTS.indexOf(type) < 0) {
            return List.of(line);
        }
        List<String> parts = new ArrayList<>();
        for (int left = Integer.parseInt(line) * (isMap ? 2 : 1); left > 0; left--) {
            parts.add(String.join(" ", rest((char) in.readUnsignedByte(), in, bytes)));
        }
        return parts;
    }

    private static String bulk(int length, DataInputStream in, ByteArrayOutputStream bytes) throws IOException {
        if (length < 0) {
            return "";
        }
        byte[] text = in.readNBytes(length + 2);
        if (text.length < length + 2) {
            throw new EOFException("The connection ended within a value");
        }
        bytes.write(text);
        return new String(text, 0, length, UTF_8);
    }

    private static String line(DataInputStream in, ByteArrayOutputStream bytes) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
            bytes.write(next);
            if (next != '\r') {
                line.write(next);
            }
        }
        bytes.write('\n');
        return line.toString(UTF_8);
    }

    /** Whether the server has sent it by itself, and it is not an answer. */
    boolean isMessage() {
        return (type == '>' || type == '*') && parts.size() == 3 && parts.get(0).equals("message");
    }

    boolean isPush() {
        return type == '>';
    }
}
