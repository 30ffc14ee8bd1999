package io.rowlock.fault;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** One packet of the MySQL client/server protocol: less than 16 MB, and numbered within its exchange. */
final class Packet {
    private static final int HEADER = 4;

    private final int sequence;
    private final byte[] payload;

    private Packet(int sequence, byte[] payload) {
        this.sequence = sequence;
        this.payload = payload;
    }

    /** A request begins with 0. */
    int sequence() {
        return sequence;
    }

    int length() {
        return payload.length;
    }

    /** @return null at the end of the stream */
    static Packet read(DataInputStream in) throws IOException {
        byte[] header = in.readNBytes(HEADER);
        if (header.length < HEADER) {
            return null;
        }
        byte[] payload = in.readNBytes(number(header, 0, 3));
        if (payload.length < number(header, 0, 3)) {
            throw new EOFException("The connection ended within a packet");
        }
        return new Packet(header[3] & 0xff, payload);
    }

    void write(OutputStream out) throws IOException {
        byte[] bytes = new byte[HEADER + payload.length];
        for (int i = 0; i < 3; i++) {
            bytes[i] = (byte) (payload.length >> (8 * i));
        }
        bytes[3] = (byte) sequence;
        System.arraycopy(payload, 0, bytes, HEADER, payload.length);
        out.write(bytes);
        out.flush();
    }

    /** The first byte, which says what it is. */
    int kind() {
        return payload.length == 0 ? -1 : payload[0] & 0xff;
    }

    /** A number of {@code length} bytes, the lowest first. */
    int number(int from, int length) {
        return number(payload, from, length);
    }

    private static int number(byte[] bytes, int from, int length) {
        int number = 0;
        for (int i = 0; i < length; i++) {
            number |= (bytes[from + i] & 0xff) << (8 * i);
        }
        return number;
    }

    /** Where the first zero is from there on. */
    int zero(int from) {
        int i = from;
        while (payload[i] != 0) {
            i++;
        }
        return i;
    }

    String text(int from) {
        return new String(payload, from, payload.length - from, StandardCharsets.UTF_8);
    }
}
