------------------------------- MODULE HandOver -------------------------------
\* Models how a lock passes between JVMs. There are scripts in Redis, questions (packets to Redis), replies and
\* hand-over messages. Questions may be late, lost or sent twice, replies and messages late or lost.
\*
\* Reading guide for readers who know Redis but not TLA+:
\*  - A state is one value for each of the VARIABLES. An action describes a step:
\*    x is the value before it, x' the value after it. /\ is "and", \/ is "or",
\*    \E is "for some" (the checker tries each), \A is "for all".
\*  - TLC walks through every order in which the actions can happen. A process
\*    that pauses or a packet that is slow is simply one whose action happens late.
\*  - Time is a Tick that can happen at any point. The state has no dates, only
\*    ages (ticks since a question was sent) and remaining ticks, and
\*    a Tick changes all of them at once. So there are few states although time never ends.
\*
\* Not modelled: passes within a JVM, the block of fencing tokens, and the outcome of a release; clock drift and the
\* grace that covers it; the lifetime and the eviction of the companion key (if it exists, the full script follows take);
\* the arithmetic of tokens, which are assumed to rise; data loss, failovers and quorums of Redis, forced releases and
\* foreign holders; withdrawals without a tombstone, and the expiry of fences and tombstones. After a clean release, an
\* unnoticed copy of a request may acquire the lock once more until its lease ends, but no caller enters the section.
EXTENDS Integers, Sequences, TLC

CONSTANTS
  Instances,  \* the JVMs
  Requests,   \* how many requests (tenures) each of them makes, one after the other
  Faults,     \* how many faults may happen in one run, of all kinds together
  Lease,      \* ticks of a full lease
  Claim,      \* ticks of the short lease that a hand-over gives
  Seen,       \* ticks without a question after which a waiter counts as dead
  Prompt,     \* FALSE: pauses and delays are free and may be of any length;
              \* TRUE: each tick of them is a fault (liveness needs that, and it keeps runs small)
  Flaw        \* "none", or a mistake built in on purpose:
              \*   claim-from-arrival  the new holder counts its claim from the arrival of the message
              \*   claim-from-latest   ... from its latest question, even if the message belongs to another
              \*   impatient-start     ... starts although one of its questions has no reply
              \*   no-tombstone        withdraw leaves no tombstone that stops a late question
              \*   no-heart-beat       a waiter sends one question and relies on messages
              \*   no-expiry           keys have no TTL
              \*   unchecked-release   release does not check the owner of the lock
              \*   reused-owner        all requests of an instance have one owner token
              \*   late-shortening     the holder may renew with a shorter lease, then with a longer one
              \*   blind-take          take does not check the companion key of a lock in use
              \*   early-companion     the companion key expires before a tombstone
              \*   unchecked-drop      drop deletes whatever it finds
              \*   formless-drop       drop compares the owner only, not the form
              \*   silent-join         a waiter joins and leaves the lock bare
              \*   bare-past-waiters   acquire grants a bare lock although others wait
              \*   bare-behind-fence   the token of a bare grant is the clock, although the fence is ahead of it
              \*   bare-not-withdrawn  withdraw does not recognize its owner in a bare lock

VARIABLES
  lock,    \* the lock key: owner, remaining TTL, and whether it is bare, that is, the only key
           \* of the lock; if the owner is Nobody, there is no key
  fence,   \* the newest fencing token: "unused", "used" (an instance entered with it) or "misused"
  queue,   \* the waiters in order: request, ticks since seen, age of its latest question
  tombs,   \* tombstones of withdrawn requests
  net,     \* the packets on their way: questions, replies, messages
  inst,    \* the state of each JVM
  faults,  \* how many more faults may happen
  closed   \* (known to the observer only) the requests that were released or withdrawn for good

vars == <<lock, fence, queue, tombs, net, inst, faults, closed>>
redis == <<lock, fence, queue, tombs>>

Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b

\* A request is <<instance, number>>. It also represents the owner token, since a tenure has one of each.
Nobody == <<>>
Free == [owner |-> Nobody, ttl |-> 0, bare |-> FALSE]
Req(i) == <<i, inst[i].n>>
Owner(r) == IF Flaw = "reused-owner" THEN <<r[1]>> ELSE r
Waits(r) == inst[r[1]].pc = "waiting" /\ inst[r[1]].n = r[2]

Renewals == {"renew", "shorten"}
Questions == {"take", "drop", "acquire", "release", "yield", "withdraw"} \cup Renewals

\* asked: the age of the question to which this belongs. late: whether this is a copy, or a question whose sender no
\* longer waits for the reply. It may arrive at any time, or never. token: only the order of fencing tokens matters, and
\* each new one is greater. So a packet only says whether its token is still the "newest" or "older".
Packet(kind, r, asked, token) ==
  [kind |-> kind, req |-> r, asked |-> asked, token |-> token, late |-> FALSE]
Question(kind, r) == Packet(kind, r, 0, "none")
\* The age of a late question matters only if it may join the queue.
Late(p) ==
  [p EXCEPT !.late = TRUE, !.asked = IF p.kind \in {"acquire", "yield"} THEN @ ELSE 0]

\* The packets N without those of r of these kinds, which no longer have an effect.
Strip(N, r, kinds) == {p \in N : p.req # r \/ p.kind \notin kinds}
\* The packets N when r's instance no longer waits for the replies to its questions of these kinds.
Forget(N, r, kinds) ==
  {IF p.req = r /\ p.kind \in kinds THEN Late(p) ELSE p : p \in Strip(N, r, {"granted"})}

Pay(cost) == faults >= cost /\ faults' = faults - cost
Cost(fault) == IF fault THEN 1 ELSE 0

Init ==
  /\ lock = Free
  /\ fence = "used"
  /\ queue = <<>>
  /\ tombs = {}
  /\ net = {}
  /\ inst = [i \in Instances |->
       [pc |-> "idle", n |-> 0, pending |-> FALSE, late |-> FALSE, age |-> 0, left |-> 0]]
  /\ faults = Faults
  /\ closed = {}

-------------------------------------------------------------------------------
\* Redis. Each script is one step. N are the other packets that are on their way after the step.

Place(Q, r) == {k \in 1..Len(Q) : Q[k].req = r}
Cut(Q, k) == SubSeq(Q, 1, k - 1) \o SubSeq(Q, k + 1, Len(Q))
Leaves(Q, r) == SelectSeq(Q, LAMBDA w : w.req # r)
\* A request keeps its place when it repeats its question.
Joins(Q, p) ==
  LET w == [req |-> p.req, seen |-> 0, asked |-> Min(p.asked, Claim)]
  IN  IF Place(Q, p.req) = {} THEN Append(Q, w)
      ELSE [k \in 1..Len(Q) |-> IF Q[k].req = p.req THEN w ELSE Q[k]]

Grant(r, ttl, bare) ==
  /\ lock' = [owner |-> Owner(r), ttl |-> ttl, bare |-> bare]
  /\ fence' = "unused"
\* After a grant, all tokens in packets on their way are older ones.
Outdated(N) == {IF p.token = "newest" THEN [p EXCEPT !.token = "older"] ELSE p : p \in N}

\* Hands the lock to the waiter at place k, for the claim. The message carries the
\* age of that waiter's last executed question. A message without a listener is left out.
HandOver(Q, k, told, N) ==
  LET w == Q[k]
  IN  /\ Grant(w.req, Claim, FALSE)
      /\ queue' = Cut(Q, k)
      /\ net' = Outdated(N) \cup
           (IF told /\ Waits(w.req) THEN {Packet("message", w.req, w.asked, "newest")} ELSE {})

\* Hands the lock to the first waiter, with a message. At the cost of a fault, the lock goes to any other waiter (those
\* before it seemed to be unreachable), or no message is sent (it was lost, or the subscription was down).
PassOn(Q, N, cost) ==
  IF Q = <<>>
  THEN /\ lock' = Free
       /\ queue' = Q /\ net' = N /\ UNCHANGED fence
       /\ Pay(cost)
  ELSE \E k \in 1..Len(Q), told \in BOOLEAN :
         HandOver(Q, k, told, N) /\ Pay(cost + Cost(k # 1 \/ ~told))

\* The reply "granted" is a separate packet. Any other reply comes at once or never.
Granted(p, bare) ==
  IF p.late THEN {}
  ELSE {Packet("granted", p.req, p.asked, IF bare /\ Flaw = "bare-behind-fence" THEN "older" ELSE "newest")}
Heard(p) == IF p.late THEN {FALSE} ELSE BOOLEAN
Unheard(p, heard) == Cost(~p.late /\ ~heard)
\* The instance of p after the reply: its state becomes known if the reply arrived.
Told(p, heard, known) ==
  LET i == p.req[1] IN
  inst' = IF p.late THEN inst ELSE [inst EXCEPT ![i] = IF heard THEN known ELSE [@ EXCEPT !.pending = FALSE]]
Held(p) == Told(p, FALSE, inst)

\* take is the short acquire, and the first question of a request. It never joins a queue. While there is a waiter or
\* the request has a tombstone, Redis keeps the companion (the fence key), and the full script follows take. The
\* companion may exist at any other time, too.
Take(p, N, cost) ==
  /\ Pay(cost) /\ UNCHANGED <<queue, inst>>
  /\ \/ /\ lock.owner = Nobody
        /\ queue = <<>> \/ Flaw = "blind-take"
        /\ p.req \notin tombs \/ Flaw \in {"blind-take", "early-companion"}
        /\ Grant(p.req, Lease, TRUE)
        /\ net' = Outdated(N) \cup Granted(p, TRUE)
     \/ /\ net' = N \cup (IF p.late THEN {} ELSE {Question("acquire", p.req)})
        /\ UNCHANGED <<lock, fence>>

\* Whether the full scripts grant a bare lock if these others wait for it. (A full lock without waiters is the same as
\* one whose waiter has left the queue.)
Forms(others) == {others = <<>> \/ Flaw = "bare-past-waiters"}

\* acquire is the question after take, and also the heartbeat. A request that joins makes the lock full.
Acquire(p, N, cost) ==
  IF p.req \in tombs
  THEN net' = N /\ Pay(cost) /\ UNCHANGED <<lock, fence, queue, inst>>
  ELSE IF lock.owner = Owner(p.req)
  THEN /\ lock' = [lock EXCEPT !.ttl = Max(lock.ttl, Lease)]
       /\ net' = N \cup Granted(p, lock.bare)
       /\ Pay(cost) /\ UNCHANGED <<fence, queue, inst>>
  ELSE IF lock.owner # Nobody
  THEN /\ queue' = Joins(queue, p)
       /\ lock' = [lock EXCEPT !.bare = @ /\ Flaw = "silent-join"]
       /\ net' = N /\ Held(p)
       /\ Pay(cost) /\ UNCHANGED fence
  ELSE LET Q == Joins(queue, p)
           mine == CHOOSE k \in Place(Q, p.req) : TRUE
       IN  \/ \E bare \in Forms(Cut(Q, mine)) :
                /\ Grant(p.req, Lease, bare)
                /\ queue' = Cut(Q, mine)
                /\ net' = Outdated(N) \cup Granted(p, bare)
                /\ Pay(cost + Cost(mine # 1)) /\ UNCHANGED inst
           \/ \E k \in 1..(mine - 1), told \in BOOLEAN :
                /\ HandOver(Q, k, told, N) /\ Held(p)
                /\ Pay(cost + Cost(k # 1 \/ ~told))

\* A release is final unless a copy of a question of r, unknown to its sender, is
\* still on its way or has put r back into the queue.
Closing(r) ==
  IF Place(queue, r) # {} \/ \E p \in net : p.req = r /\ p.late /\ p.kind \in {"take", "acquire", "yield"}
  THEN {} ELSE {r}

\* The state of a JVM that no longer uses the lock.
Idle(me) == [me EXCEPT !.pc = "idle", !.pending = FALSE, !.late = FALSE, !.age = 0, !.left = 0]
\* The state after the release. If a question may still arrive late, a withdrawal follows, which leaves a tombstone.
Released(me) == IF me.late THEN [Idle(me) EXCEPT !.pc = "withdrawing"] ELSE Idle(me)

Release(p, N, cost) ==
  \E heard \in Heard(p) :
    /\ IF lock.owner = Owner(p.req) \/ Flaw = "unchecked-release"
       THEN PassOn(queue, N, cost + Unheard(p, heard))
       ELSE net' = N /\ Pay(cost + Unheard(p, heard)) /\ UNCHANGED <<lock, fence, queue>>
    /\ Told(p, heard, Released(inst[p.req[1]]))
    /\ closed' = closed \cup Closing(p.req)
    /\ UNCHANGED tombs

\* drop, the short release, deletes only this bare grant. If it finds anything else, the full script follows. (The key's
\* value has owner and token, so a copy never ends a later grant.)
Drop(p, N, cost) ==
  \/ /\ \/ lock.owner = Owner(p.req) /\ (lock.bare \/ Flaw = "formless-drop")
        \/ Flaw = "unchecked-drop"
     /\ \E heard \in Heard(p) :
          /\ lock' = Free
          /\ net' = Strip(N, p.req, Renewals)
          /\ Pay(cost + Unheard(p, heard))
          /\ Told(p, heard, Released(inst[p.req[1]]))
     /\ closed' = closed \cup Closing(p.req)
     /\ UNCHANGED <<fence, queue, tombs>>
  \/ /\ ~(lock.owner = Owner(p.req) /\ lock.bare)
     /\ net' = N \cup (IF p.late THEN {} ELSE {Question("release", p.req)})
     /\ Pay(cost) /\ UNCHANGED <<redis, inst, closed>>

\* yield releases the old request, and then acquires the lock for the new one. The new one is granted the lock at once
\* if no other request waits (or, at the cost of a fault, if none can be reached).
Yield(p, N, cost) ==
  LET old == <<p.req[1], p.req[2] - 1>>
      others == Leaves(queue, p.req)
  IN  /\ IF lock.owner # Owner(old)
         THEN Acquire(p, N, cost)
         ELSE IF p.req \in tombs
         THEN PassOn(queue, N, cost) /\ UNCHANGED inst
         ELSE \/ \E bare \in Forms(others) :
                   /\ Grant(p.req, Lease, bare)
                   /\ queue' = others
                   /\ net' = Outdated(N) \cup Granted(p, bare)
                   /\ Pay(cost + Cost(others # <<>>)) /\ UNCHANGED inst
              \/ \E k \in 1..Len(others), told \in BOOLEAN :
                   /\ HandOver(Joins(others, p), k, told, N) /\ Held(p)
                   /\ Pay(cost + Cost(k # 1 \/ ~told))
      /\ closed' = closed \cup Closing(old)
      /\ UNCHANGED tombs

\* withdraw takes back a grant. If that frees the lock, the lock goes to the waiters.
Withdraw(p, N, cost) ==
  \E heard \in Heard(p) :
    /\ IF lock.owner \in {Owner(p.req), Nobody} /\ ~(lock.bare /\ Flaw = "bare-not-withdrawn")
       THEN PassOn(Leaves(queue, p.req), N, cost + Unheard(p, heard))
       ELSE /\ queue' = Leaves(queue, p.req)
            /\ net' = N /\ Pay(cost + Unheard(p, heard)) /\ UNCHANGED <<lock, fence>>
    /\ tombs' = IF Flaw = "no-tombstone" THEN tombs ELSE tombs \cup {p.req}
    /\ Told(p, heard, Idle(inst[p.req[1]]))
    /\ closed' = closed \cup {p.req}

Renew(p, N, cost) ==
  \E heard \in Heard(p) :
    LET i == p.req[1]
        ttl == IF p.kind = "shorten" THEN 1 ELSE Lease
        ours == lock.owner = Owner(p.req)
    IN  /\ lock' = IF ours THEN [lock EXCEPT !.ttl = ttl] ELSE lock
        /\ net' = N
        /\ Pay(cost + Unheard(p, heard))
        /\ Told(p, heard, [inst[i] EXCEPT !.pending = FALSE, !.left = IF ours THEN Max(0, ttl - p.asked) ELSE 0])
        /\ UNCHANGED <<fence, queue, tombs, closed>>

\* The other packets on their way when p arrives, without those that will have no effect after it.
Without(p) ==
  CASE p.kind = "release" -> Strip(net \ {p}, p.req, Renewals)
    [] p.kind = "withdraw" -> Strip(net \ {p}, p.req, {"drop", "release", "withdraw"} \cup Renewals)
    [] OTHER -> net \ {p}

\* A question arrives. At the cost of a fault, a copy of it stays on its way, because the client has repeated it after a
\* reconnect without knowing what happened to the first one.
Execute(p) ==
  /\ p.kind \in Questions
  /\ \E copied \in IF p.late THEN {FALSE} ELSE BOOLEAN :
       LET N == Without(p) \cup (IF copied THEN {Late(p)} ELSE {})
           cost == Cost(copied)
       IN  \/ p.kind = "take" /\ Take(p, N, cost) /\ UNCHANGED <<tombs, closed>>
           \/ p.kind = "acquire" /\ Acquire(p, N, cost) /\ UNCHANGED <<tombs, closed>>
           \/ p.kind = "drop" /\ Drop(p, N, cost)
           \/ p.kind = "release" /\ Release(p, N, cost)
           \/ p.kind = "yield" /\ Yield(p, N, cost)
           \/ p.kind = "withdraw" /\ Withdraw(p, N, cost)
           \/ p.kind \in {"renew", "shorten"} /\ Renew(p, N, cost)

-------------------------------------------------------------------------------
\* The instances (JVMs). pc is the state of an instance: idle, waiting, inside (the section), leaving (releases),
\* withdrawing, dead.

Send(i, me, N, p) ==
  /\ inst' = [inst EXCEPT ![i] = [me EXCEPT !.pending = TRUE]]
  /\ net' = N \cup {p}

Begin(i) ==
  /\ inst[i].pc = "idle" /\ inst[i].n < Requests
  /\ LET me == [inst[i] EXCEPT !.pc = "waiting", !.n = @ + 1]
     IN  Send(i, me, net, Question("take", <<i, me.n>>))
  /\ UNCHANGED <<redis, faults, closed>>

\* Ticks after which the age of a waiter's latest question no longer matters.
OldAge == IF Flaw = "claim-from-latest" THEN Claim ELSE 1

\* The heartbeat, or the question after one without a reply. It is always the full acquire.
Ask(i) ==
  /\ inst[i].pc = "waiting" /\ ~inst[i].pending /\ inst[i].age > 0
  /\ Flaw # "no-heart-beat"
  /\ Send(i, [inst[i] EXCEPT !.age = 0], net, Question("acquire", Req(i)))
  /\ UNCHANGED <<redis, faults, closed>>

Enter(p, left) ==
  /\ inst' = [inst EXCEPT ![p.req[1]] = [@ EXCEPT !.pc = "inside", !.pending = FALSE, !.age = 0, !.left = left]]
  /\ net' = Strip(net, p.req, {"granted", "message"})
  /\ fence' = IF p.token = "newest" /\ fence = "unused" THEN "used" ELSE "misused"

HearAnswer(p) ==
  LET i == p.req[1] IN
  /\ p.kind = "granted"
  /\ IF p.asked < Lease
     THEN Enter(p, Lease - p.asked)
     ELSE /\ inst' = [inst EXCEPT ![i].pending = FALSE]
          /\ net' = net \ {p}
          /\ UNCHANGED fence
  /\ UNCHANGED <<lock, queue, tombs, faults, closed>>

\* The new holder counts its claim from the question that was executed before the grant. If at least half of the claim
\* is left, it starts without a question. Otherwise it sends one at once. While a question has no reply, the message is
\* kept and not handled yet.
HearMessage(p) ==
  LET i == p.req[1]
      left == CASE Flaw = "claim-from-arrival" -> Claim
                [] Flaw = "claim-from-latest" -> Claim - inst[i].age
                [] OTHER -> Claim - p.asked
  IN  /\ p.kind = "message" /\ Waits(p.req)
      /\ ~inst[i].pending \/ Flaw = "impatient-start"
      /\ IF 2 * left >= Claim
         THEN Enter(p, left)
         ELSE /\ inst' = [inst EXCEPT ![i].age = OldAge]
              /\ net' = net \ {p}
              /\ UNCHANGED fence
      /\ UNCHANGED <<lock, queue, tombs, faults, closed>>

\* Extends the claim or renews the lease, in the background.
Prolong(i) ==
  /\ inst[i].pc = "inside" /\ ~inst[i].pending
  /\ \/ inst[i].left = 1 /\ Send(i, inst[i], net, Question("renew", Req(i)))
     \/ /\ Flaw = "late-shortening" /\ inst[i].left > 0
        /\ Send(i, [inst[i] EXCEPT !.left = 1], net, Question("shorten", Req(i)))
  /\ UNCHANGED <<redis, faults, closed>>

\* Releases with drop only while the lock is bare. A drop that arrives at a full lock has the same effect as a slow one
\* that was sent before the lock became full.
Leave(i) ==
  /\ inst[i].pc = "inside"
  /\ Send(i, [inst[i] EXCEPT !.pc = "leaving"], Forget(net, Req(i), Renewals),
       Question(IF lock.bare /\ lock.owner = Owner(Req(i)) THEN "drop" ELSE "release", Req(i)))
  /\ UNCHANGED <<redis, faults, closed>>

\* Lets the other requests go first and waits again. A late question of the old request is withdrawn at the same time.
StandBack(i) ==
  /\ inst[i].pc = "inside" /\ inst[i].n < Requests
  /\ LET me == [Idle(inst[i]) EXCEPT !.pc = "waiting", !.n = @ + 1]
         N == Forget(net, Req(i), Renewals) \cup (IF inst[i].late THEN {Late(Question("withdraw", Req(i)))} ELSE {})
     IN  Send(i, me, N, Question("yield", <<i, me.n>>))
  /\ UNCHANGED <<redis, faults, closed>>

GiveUp(i) ==
  /\ inst[i].pc = "waiting"
  /\ Send(i, [Idle(inst[i]) EXCEPT !.pc = "withdrawing"], Strip(Forget(net, Req(i), Questions), Req(i), {"message"}),
       Question("withdraw", Req(i)))
  /\ UNCHANGED <<redis, faults, closed>>

\* release is repeated until the lease is over, and withdraw until it has a reply. After a drop without a reply, release
\* follows. If release finds no lock, the drop was executed.
Repeat(i) ==
  /\ ~inst[i].pending
  /\ \/ inst[i].pc = "leaving" /\ inst[i].left > 0 /\ Send(i, inst[i], net, Question("release", Req(i)))
     \/ inst[i].pc = "leaving" /\ inst[i].left = 0
          /\ inst' = [inst EXCEPT ![i] = Released(@)] /\ UNCHANGED net
     \/ inst[i].pc = "withdrawing" /\ Send(i, inst[i], net, Question("withdraw", Req(i)))
  /\ UNCHANGED <<redis, faults, closed>>

\* Faults of the environment. (Copies and lost messages are above, with Redis.)

\* A question or its reply is lost or late. A yield that may not have been executed
\* is followed by a release of the old request.
TimeOut(i) ==
  /\ inst[i].pending
  /\ inst' = [inst EXCEPT ![i] = [@ EXCEPT !.pending = FALSE, !.late = @ \/ inst[i].pc = "waiting"]]
  /\ net' = Forget(net, Req(i), Questions) \cup
       (IF \E p \in net : p.req = Req(i) /\ p.kind = "yield" /\ ~p.late
        THEN {Late(Question("release", <<i, inst[i].n - 1>>))} ELSE {})
  /\ Pay(1)
  /\ UNCHANGED <<redis, closed>>

Crash(i) ==
  /\ inst[i].pc \notin {"idle", "dead"}
  /\ inst' = [inst EXCEPT ![i] = [Idle(@) EXCEPT !.pc = "dead"]]
  /\ net' = Strip(Forget(net, Req(i), Questions), Req(i), {"message"})
  /\ Pay(1)
  /\ UNCHANGED <<redis, closed>>

-------------------------------------------------------------------------------
\* Time

\* A packet one tick later. Ages that no longer matter are not counted.
Older(p) ==
  IF p.kind \in {"drop", "release", "withdraw"} \/ (p.late /\ p.kind \in Renewals \cup {"take"}) \/ p.req \in tombs THEN p
  ELSE [p EXCEPT !.asked = Min(@ + 1, IF p.late \/ p.kind = "message" THEN Claim ELSE Lease)]

\* Whether something must happen before the next tick if nothing pauses and no packet is slow.
Due ==
  \/ \E p \in net : ~p.late /\ (p.kind = "message" => Waits(p.req))
  \/ \E i \in Instances : ~inst[i].pending /\
       (inst[i].pc \in {"leaving", "withdrawing"} \/ ENABLED Ask(i))

Tick ==
  /\ Pay(Cost(Prompt /\ Due))
  /\ lock' = IF Flaw = "no-expiry" THEN lock
             ELSE IF lock.ttl <= 1 THEN Free ELSE [lock EXCEPT !.ttl = @ - 1]
  /\ queue' = LET live == SelectSeq(queue, LAMBDA w : w.seen < Seen)
              IN  [k \in 1..Len(live) |-> [live[k] EXCEPT !.seen = @ + 1, !.asked = Min(@ + 1, Claim)]]
  /\ net' = {Older(p) : p \in net}
  /\ inst' = [i \in Instances |-> [inst[i] EXCEPT
       !.left = Max(0, @ - 1), !.age = IF inst[i].pc = "waiting" THEN Min(@ + 1, OldAge) ELSE 0]]
  /\ UNCHANGED <<fence, tombs, closed>>

Hear(p) == HearAnswer(p) \/ HearMessage(p)

Next ==
  \/ \E p \in net : Execute(p) \/ Hear(p)
  \/ \E i \in Instances : Begin(i) \/ Ask(i) \/ Prolong(i) \/ Leave(i) \/ StandBack(i) \/ GiveUp(i)
       \/ Repeat(i) \/ TimeOut(i) \/ Crash(i)
  \/ Tick

Spec == Init /\ [][Next]_vars

\* The actions that must happen eventually. No instance is forced to begin, to stop waiting or to fail.
Fairness ==
  /\ WF_vars(Tick)
  /\ WF_vars(\E p \in net : ~p.late /\ (Execute(p) \/ Hear(p)))
  /\ \A i \in Instances : WF_vars(Ask(i)) /\ WF_vars(Repeat(i)) /\ WF_vars(Leave(i))

FairSpec == Spec /\ Fairness

-------------------------------------------------------------------------------
\* The promises

\* The instance is inside the section and, by its own clock, entitled to be there.
Valid(i) == inst[i].pc = "inside" /\ inst[i].left > 0

\* There are never two valid holders.
MutualExclusion == \A i, j \in Instances : Valid(i) /\ Valid(j) => i = j

\* An instance that is inside holds the key in Redis for at least as long as it
\* believes, even if it entered by a message, without a question.
KeyOutlivesHolder == \A i \in Instances : Valid(i) => lock.owner = Owner(Req(i)) /\ lock.ttl >= inst[i].left

\* A request that was released or withdrawn never holds the lock or waits for it again.
ClosedStaysClosed == \A r \in closed : lock.owner # Owner(r) /\ Place(queue, r) = {}

\* Each hold has a greater fencing token than all holds before it: it begins with the newest token that Redis
\* issued, and no earlier hold began with that token.
TokensIncrease == fence # "misused"

\* A hold that ends before its expiry hands the lock over if there is a waiter.
Ends == lock.owner # Nobody /\ lock'.owner = Nobody /\ lock.ttl > 1
HandsOver == [][Ends => queue' = <<>>]_vars

\* Without a fault no request is granted the lock before an earlier waiter;
\* a request that yields goes to the end.
Before(w, r) == \A k \in Place(queue, r) : \A n \in Place(queue, w) : n < k
Overtakes == /\ lock'.owner \notin {lock.owner, Nobody} /\ faults' = faults
             /\ \E k \in 1..Len(queue) :
                  LET w == queue[k].req
                  IN  /\ Place(queue', w) # {} /\ Before(w, lock'.owner)
                      /\ lock.owner # Nobody => w[1] # lock.owner[1]
NobodyOvertakes == [][~Overtakes]_vars

\* No instance waits forever, even if its waiting time has no limit.
NobodyWaitsForEver == \A i \in Instances : inst[i].pc = "waiting" ~> inst[i].pc # "waiting"

\* Eventually the lock is free and stays free.
FreeInTheEnd ==
  <>[]((\A i \in Instances : inst[i].pc \in {"idle", "dead"}) => lock.owner = Nobody)

-------------------------------------------------------------------------------
\* Lets the checker treat all instances as interchangeable.
Symmetry == Permutations(Instances)
===============================================================================
