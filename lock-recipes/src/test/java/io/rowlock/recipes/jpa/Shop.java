package io.rowlock.recipes.jpa;

import io.rowlock.annotation.DistributedLock;
import jakarta.persistence.EntityManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Shop {
    private final Items items;
    private final Stock stock;

    Shop(Items items, Stock stock) {
        this.items = items;
        this.stock = stock;
    }

    @PostMapping("/items/{id}/sales")
    String sell(@PathVariable long id) {
        if (items.findById(id).isEmpty()) { // the open view keeps the entity
            return "unknown";
        }
        stock.sell(id);
        return "sold";
    }
}

@Service
class Stock {
    private final EntityManager entities;

    Stock(EntityManager entities) {
        this.entities = entities;
    }

    @DistributedLock(name = "item", key = "#id", waitTime = "5s")
    @Transactional
    public void sell(long id) {
        Item item = entities.find(Item.class, id);
        entities.refresh(item); // as it is under the lock
        item.stock--;
    }
}
