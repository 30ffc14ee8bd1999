package io.rowlock.sample.stage;

import com.mysql.cj.BindValue;
import com.mysql.cj.PreparedQuery;
import com.mysql.cj.Query;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A statement as people read it: on one line, with its values, and with keys as text, which the driver sends as bytes. */
final class SqlText {
    /** A text, which may contain anything, or a value that is bytes, or the place of one that is sent apart. */
    private static final Pattern VALUE = Pattern.compile("x'([0-9A-Fa-f]*)'|'(?:[^'\\\\]|\\\\.|'')*'|\\?");

    private static final BindValue[] NONE = {};

    private SqlText() {}

    static String of(String sql, Query query) {
        BindValue[] sentApart = query instanceof PreparedQuery prepared && prepared.getQueryBindings() != null
                ? prepared.getQueryBindings().getBindValues()
                : NONE;
        String line = sql.strip().replaceAll("\\s+", " ");
        return bytesAsText(placed(line, sentApart));
    }

    private static String placed(String sql, BindValue[] values) {
        int[] next = {0};
        return VALUE.matcher(sql).replaceAll(found -> {
            boolean isPlace = found.group().equals("?") && next[0] < values.length;
            return Matcher.quoteReplacement(isPlace ? literal(values[next[0]++]) : found.group());
        });
    }

    private static String literal(BindValue value) {
        return value.isNull() ? "NULL" : value.getString();
    }

    private static String bytesAsText(String sql) {
        return VALUE.matcher(sql).replaceAll(found -> Matcher.quoteReplacement(readable(found)));
    }

    private static String readable(MatchResult found) {
        String digits = found.group(1);
        if (digits == null || digits.length() % 2 != 0) {
            return found.group();
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(HexFormat.of().parseHex(digits)))
                    .toString();
            boolean isText = text.codePoints().noneMatch(Character::isISOControl);
            return isText ? "'" + text.replace("'", "''") + "'" : found.group();
        } catch (CharacterCodingException e) {
            return found.group(); // bytes that are no text
        }
    }
}
