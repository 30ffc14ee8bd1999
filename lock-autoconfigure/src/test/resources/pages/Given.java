import static org.assertj.core.api.Assertions.*;

import io.rowlock.*;
import io.rowlock.annotation.*;
import io.rowlock.leader.*;
import io.rowlock.test.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.stream.*;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.*;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.*;
import org.springframework.context.event.EventListener;
import org.springframework.http.*;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.*;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.client.RestClient;

// types: what the blocks of the pages take for granted
abstract class Given {
    FencingTokens tokens;
    LockClient locks;
    JdbcTemplate jdbc;
    RestClient http;
    Accounts accounts;
    Alarms alarms;
    Items items;
    Orders orders;
    Quartz quartz;
    Reports reports;
    Seats seats;
    String customer = "42";
    long id = 42;
    int balance = 100;
}

interface Accounts {
    void debit(long id, int cents);
}

interface Alarms {
    void raise(String key);
}

interface Item {
    void sellOne();
}

interface Items {
    Optional<Item> findById(long id);
}

interface Orders {
    void assignOpen();

    void pay(long id);

    void ship(long id, long token);
}

interface Quartz {
    void start();

    void standby();
}

interface Reports {
    void createAll();

    String render(Object what);
}

interface Seats {
    void reserve(long id);

    int reserveNext(String row);
}

interface Stock {
    void sell(long itemId);
}
