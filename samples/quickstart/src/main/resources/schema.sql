-- Every instance runs this at each startup, so nothing may fail the second time. A real shop would also have unique
-- constraints. Here they are left out where a lock keeps the promise, so that try-it.sh notices a broken promise.

create table if not exists charge (
  id         bigint generated always as identity primary key,
  order_id   varchar(100)             not null,
  amount     decimal(12, 2)           not null,
  charged_at timestamp with time zone not null
);

create table if not exists stock (
  id       bigint generated always as identity primary key,
  product  varchar(100) not null,
  quantity integer      not null
);

create table if not exists cache_entry (
  id        bigint generated always as identity primary key,
  cache_key varchar(100)             not null,
  content   varchar(1000)            not null,
  loads     integer                  not null,
  loaded_at timestamp with time zone not null
);

create table if not exists daily_report (
  id           bigint generated always as identity primary key,
  report_date  date                     not null,
  orders       bigint                   not null,
  revenue      decimal(14, 2)           not null,
  generated_at timestamp with time zone not null,
  generated_by varchar(200)             not null
);

create table if not exists user_report (
  id            bigint generated always as identity primary key,
  user_id       varchar(100)             not null unique,
  summary       varchar(1000)            not null,
  fencing_token bigint                   not null,
  generated_at  timestamp with time zone not null,
  generated_by  varchar(200)             not null
);

create table if not exists task_run (
  id          bigint generated always as identity primary key,
  task_id     varchar(100)             not null,
  done_by     varchar(200)             not null,
  started_at  timestamp with time zone not null,
  finished_at timestamp with time zone not null
);

create table if not exists heartbeat (
  id      bigint generated always as identity primary key,
  beat_by varchar(200)             not null,
  beat_at timestamp with time zone not null
);

create table if not exists price_poll (
  id        bigint generated always as identity primary key,
  term      bigint                   not null,
  polled_by varchar(200)             not null,
  polled_at timestamp with time zone not null
);

create table if not exists api_call (
  id        bigint generated always as identity primary key,
  user_id   varchar(100)             not null,
  called_at timestamp with time zone not null
);

create table if not exists batch_item (
  id           bigint generated always as identity primary key,
  batch_id     varchar(100)             not null,
  item         integer                  not null,
  processed_by varchar(200)             not null,
  processed_at timestamp with time zone not null,
  -- Refuses a duplicate if the lock is lost between the check and the write.
  unique (batch_id, item)
);

create table if not exists document (
  id            bigint generated always as identity primary key,
  name          varchar(100) not null unique,
  content       varchar(200) not null,
  fencing_token bigint       not null
);
