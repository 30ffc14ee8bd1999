package io.rowlock.autoconfigure.application;

import org.springframework.data.jpa.repository.JpaRepository;

interface EntryRepository extends JpaRepository<Entry, Integer> {}
