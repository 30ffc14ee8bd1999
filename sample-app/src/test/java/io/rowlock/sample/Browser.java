package io.rowlock.sample;

import java.io.File;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.slf4j.LoggerFactory;

/** The browser of this machine, if there is one: Debian's chromium and chromium-driver, or those that somebody installed. */
final class Browser {
    /** Pixels of a picture for each pixel of the page. */
    static final int SCALE = 2;

    private static final Logger chatter = Logger.getLogger("org.openqa.selenium");

    private Browser() {}

    static boolean isThere() {
        boolean there = browser().isPresent() && driver().isPresent();
        if (!there) {
            LoggerFactory.getLogger(Browser.class)
                    .warn("Neither chromium nor its driver is installed: the tests in a browser are skipped");
        }
        return there;
    }

    /** @param scratch a short path, since that of a socket is limited, for what a browser leaves that is ended */
    static ChromeDriver open(Path scratch) {
        chatter.setLevel(Level.SEVERE); // it knows no browser that is newer than itself, and says so
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser().orElseThrow());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--window-size=1280,1000",
                "--force-device-scale-factor=" + SCALE,
                "--hide-scrollbars",
                "--lang=en");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("TMPDIR", scratch.toString());
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(driver().orElseThrow())
                .usingAnyFreePort()
                .withEnvironment(environment)
                .build();
        return new ChromeDriver(service, options);
    }

    private static Optional<File> browser() {
        return executable("chromium", "google-chrome", "chrome");
    }

    private static Optional<File> driver() {
        return executable("chromedriver");
    }

    private static Optional<File> executable(String... names) {
        List<String> folders = List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1));
        return Stream.of(names)
                .flatMap(name -> folders.stream().map(folder -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst();
    }
}
