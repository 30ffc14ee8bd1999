package io.rowlock.test.database;

import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import java.net.Socket;

/**
 * Opens sessions however long the server takes for that. Connector/J limits each login by {@code DriverManager.getLoginTimeout()}, one
 * setting of the whole JVM, and every pool that is started sets it to its own time-out: a pool that gives up after two seconds would
 * fail the logins of every other test on a machine that is busy with something else.
 */
public final class PatientLogin extends StandardSocketFactory {

    @Override
    protected Socket createSocket(PropertySet settings) {
        loginTimeoutCountdown = 0;
        return super.createSocket(settings);
    }
}
