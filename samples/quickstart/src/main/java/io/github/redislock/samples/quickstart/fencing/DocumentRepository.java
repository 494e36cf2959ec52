package io.github.redislock.samples.quickstart.fencing;

import java.util.Optional;

import org.springframework.data.repository.ListCrudRepository;

interface DocumentRepository extends ListCrudRepository<Document, Long> {

	Optional<Document> findByName(String name);

}
