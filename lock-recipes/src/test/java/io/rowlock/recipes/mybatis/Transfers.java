package io.rowlock.recipes.mybatis;

import com.baomidou.mybatisplus.annotation.TableId;
import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import io.rowlock.annotation.DistributedLock;
import org.apache.ibatis.annotations.Mapper;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

class Account {
    @TableId
    Long id;

    Integer balance;
}

@Mapper
interface Accounts extends BaseMapper<Account> {}

@Service
class Transfers {
    private final Accounts accounts;

    Transfers(Accounts accounts) {
        this.accounts = accounts;
    }

    @DistributedLock(name = "account", key = "{#payer, #payee}", waitTime = "5s") // both or none
    @Transactional
    public void transfer(long payer, long payee, int amount) {
        add(payer, -amount);
        add(payee, amount);
    }

    private void add(long id, int amount) {
        Account account = accounts.selectById(id);
        account.balance += amount;
        accounts.updateById(account);
    }
}
