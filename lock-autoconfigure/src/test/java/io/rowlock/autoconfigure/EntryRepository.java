package io.rowlock.autoconfigure;

import org.springframework.data.jpa.repository.JpaRepository;

interface EntryRepository extends JpaRepository<Entry, Integer> {}
