-- The latest entry of each worker.
create table entry (
	worker varchar(255) not null primary key,
	token  bigint       not null
);
