"""A lock of a Python service that only knows the key of the lock.

Taken with SET NX EX under a unique token, freed and prolonged only while the token is still
there. Written as such services usually do, to test that ours work with it.
"""
import asyncio
import functools
import uuid

FREE_OWN = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])
"""

PROLONG_OWN = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('expire', KEYS[1], ARGV[2])
"""


class DistributedLock:
    """One attempt to hold a lock. Not for concurrent use."""

    def __init__(self, redis, name, timeout=30, retries=0, pause=0.1, renews=False, renew_every=None):
        self.redis = redis
        self.key = "distributed_lock:" + name
        self.token = str(uuid.uuid4())
        self.timeout = timeout
        self.retries = retries
        self.pause = pause
        self.renew_every = (renew_every or max(1, timeout // 3)) if renews else None
        self.renewal = None
        self.held = False

    async def acquire(self, blocking=True):
        attempts = 1 + (self.retries if blocking else 0)
        for attempt in range(attempts):
            if attempt > 0:
                await asyncio.sleep(self.pause)
            if await self.redis.set(self.key, self.token, nx=True, ex=self.timeout):
                self.held = True
                if self.renew_every:
                    self.renewal = asyncio.create_task(self._renew())
                return True
        return False

    async def release(self):
        if not self.held:
            return False
        self.held = False
        if self.renewal:
            self.renewal.cancel()
            await asyncio.gather(self.renewal, return_exceptions=True)
        return bool(await self.redis.eval(FREE_OWN, 1, self.key, self.token))

    async def extend(self, seconds=None):
        if not self.held:
            return False
        return bool(await self.redis.eval(PROLONG_OWN, 1, self.key, self.token, seconds or self.timeout))

    async def is_mine(self):
        found = await self.redis.get(self.key)
        return self.held and found == self.token.encode()

    async def is_taken(self):
        return await self.redis.exists(self.key) == 1

    async def _renew(self):
        while self.held:
            await asyncio.sleep(self.renew_every)
            if self.held and not await self.extend():
                self.held = False

    async def __aenter__(self):
        if not await self.acquire():
            raise RuntimeError("busy: " + self.key)
        return self

    async def __aexit__(self, *failure):
        await self.release()


def distributed_lock(redis, name, **options):
    """Decorate a coroutine function to run under a lock."""

    def decorate(function):
        @functools.wraps(function)
        async def locked(*args, **kwargs):
            async with DistributedLock(redis, name, **options):
                return await function(*args, **kwargs)

        return locked

    return decorate
