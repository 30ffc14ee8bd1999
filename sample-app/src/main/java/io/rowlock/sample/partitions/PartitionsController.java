package io.rowlock.sample.partitions;

import java.util.SortedMap;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /partitions}: which node has which partition. */
@RestController
@Profile("!node")
class PartitionsController {

    private final PartitionBooks books;

    PartitionsController(PartitionBooks books) {
        this.books = books;
    }

    @GetMapping("/partitions")
    SortedMap<Integer, String> partitions() {
        return books.owners();
    }
}
