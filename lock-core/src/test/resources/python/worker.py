"""Takes locks by orders, one a line: <order> <name> [<argument>...]. Replies with one line each.

Usage: worker.py (redis-py|own) <port>
"""
import asyncio
import inspect
import os
import struct
import sys
import time

import redis
import redis.asyncio
from redis.exceptions import LockError, LockNotOwnedError

from distributed_lock import DistributedLock, distributed_lock


class RedisPy:
    """Locks of redis-py."""

    def __init__(self, port):
        self.redis = redis.Redis(host="127.0.0.1", port=port)
        self.locks = {}

    def lock(self, name):
        return self.locks[name]

    def create(self, name, timeout=None):
        self.locks[name] = self.redis.lock("distributed_lock:" + name, timeout=timeout and float(timeout), sleep=0.02)
        return "created"

    def acquire(self, name, wait, token=None):
        wait = float(wait)
        done = self.lock(name).acquire(blocking=wait > 0, blocking_timeout=wait or None, token=token)
        return "acquired" if done else "refused"

    def token(self, name):
        return self.lock(name).local.token.decode()

    def resume(self, name, token):
        self.lock(name).local.token = token.encode()
        return "resumed"

    def release(self, name):
        self.lock(name).release()
        return "released"

    def extend(self, name, seconds, *replace):
        self.lock(name).extend(float(seconds), replace_ttl=bool(replace))
        return "extended"

    def reacquire(self, name):
        self.lock(name).reacquire()
        return "reacquired"

    def owned(self, name):
        return str(self.lock(name).owned())

    def locked(self, name):
        return str(self.lock(name).locked())

    def delete(self, name):
        return str(self.redis.delete("distributed_lock:" + name))

    def race(self, name, path, times):
        for _ in range(int(times)):
            with self.redis.lock("distributed_lock:" + name, timeout=30, sleep=0.003):
                increment(path)
            time.sleep(0.002)
        return "done"


class Own:
    """Hand-written locks, on an event loop."""

    def __init__(self, port):
        self.redis = redis.asyncio.Redis(host="127.0.0.1", port=port)
        self.locks = {}

    def create(self, name, timeout, *renews):
        self.locks[name] = DistributedLock(self.redis, name, timeout=int(timeout), renews=bool(renews))
        return "created"

    async def acquire(self, name, wait):
        lock = self.locks[name]
        lock.pause = 0.02
        lock.retries = int(float(wait) / lock.pause)
        return "acquired" if await lock.acquire() else "refused"

    def token(self, name):
        return self.locks[name].token

    async def release(self, name):
        return "released" if await self.locks[name].release() else "not owned"

    async def extend(self, name, seconds):
        return "extended" if await self.locks[name].extend(int(seconds)) else "not owned"

    async def owned(self, name):
        return str(await self.locks[name].is_mine())

    async def locked(self, name):
        return str(await self.locks[name].is_taken())

    async def race(self, name, path, times):
        @distributed_lock(self.redis, name, retries=30000, pause=0.003)
        async def step():
            increment(path)

        for _ in range(int(times)):
            await step()
            await asyncio.sleep(0.002)
        return "done"


def increment(path):
    """Increment a number that only the lock protects."""
    counter = os.open(path, os.O_RDWR)
    (number,) = struct.unpack(">q", os.pread(counter, 8, 0))
    os.pwrite(counter, struct.pack(">q", number + 1), 0)
    os.close(counter)


async def serve(program):
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        order, *arguments = line.split()
        try:
            reply = getattr(program, order)(*arguments)
            if inspect.isawaitable(reply):
                reply = await reply
        except LockNotOwnedError:
            reply = "not owned"
        except LockError as failure:
            reply = "error " + str(failure)
        print(reply, flush=True)
    os._exit(0)


programs = {"redis-py": RedisPy, "own": Own}
asyncio.run(serve(programs[sys.argv[1]](int(sys.argv[2]))))
