-- The greatest fencing token that was admitted for each lock, and the holder that has it. See JdbcFence.
create table if not exists lock_fence (
  resource_name varchar(255) not null primary key,
  fencing_token bigint       not null,
  holder        varchar(255) not null,
  admitted_at   timestamp    not null
);
