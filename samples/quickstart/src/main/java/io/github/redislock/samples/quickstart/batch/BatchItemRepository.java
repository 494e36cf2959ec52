package io.github.redislock.samples.quickstart.batch;

import org.springframework.data.repository.ListCrudRepository;

interface BatchItemRepository extends ListCrudRepository<BatchItem, Long> {

	int countByBatchId(String batchId);

}
