-------------------------------- MODULE Trace --------------------------------
\* Compares one run of the code with the model. The simulation writes the module Observed, with each script that a
\* simulated Redis ran and the visible state after it. The checker tries the steps of HandOver that fit. If no such
\* steps lead to the end, model and code differ.
\*
\* Time is left open: a lock, a queue, a tombstone or a silent waiter may expire whenever the run shows that it did. The
\* check of "inside" shows that nothing expired too early.
EXTENDS HandOver, Observed

VARIABLE at  \* the next step

seen == <<at, vars>>
Step == Observed[at]

\* No reply arrives in a trace, because the sender of each question no longer waits.
Begun ==
  /\ Init
  /\ at = 1
  /\ TLCSet(1, 0)

\* A request that does not wait leaves the queue at once, while in the model it leaves a moment later.
Order(kind, r, Q) ==
  LET others == IF kind = "try" THEN Leaves(Q, r) ELSE Q
  IN  [k \in 1..Len(others) |-> others[k].req]

Fits ==
  /\ lock'.owner = Step.owner /\ lock'.bare = Step.bare
  /\ Order(Step.kind, Step.req, queue') = Step.queue
  /\ Step.tombs \subseteq tombs'
  \* An instance that believes it holds the lock is its only holder in Redis.
  /\ \A r \in Step.inside : lock'.owner = r /\ r \notin closed'

\* A live waiter that receives messages is not passed over.
Fair == Step.deaf \/ faults' = faults

\* The code may grant a full lock although no request waits.
EitherForm(others) == {FALSE, others = <<>>}

\* A request that does not wait does not join, and leaves another owner's lock as it is.
Refused(p) == Step.kind = "try" /\ lock.owner \notin {Nobody, Owner(p.req)}

\* The fence may still know that the request has released the lock.
Copied(p) == Step.kind \in {"acquire", "try"} /\ p.req \in closed /\ lock.owner = Nobody

Script ==
  LET p == Late(Question(Step.kind, Step.req))
  IN  \/ (Refused(p) \/ Copied(p)) /\ UNCHANGED vars
      \/ Step.kind \in {"acquire", "try"} /\ ~Refused(p) /\ Acquire(p, {}, 0) /\ UNCHANGED <<tombs, closed>>
      \/ Step.kind = "take" /\ Take(p, {}, 0) /\ UNCHANGED <<tombs, closed>>
      \/ Step.kind = "drop" /\ Drop(p, {}, 0)
      \/ Step.kind = "release" /\ Release(p, {}, 0)
      \/ Step.kind = "yield" /\ Yield(p, {}, 0)
      \/ Step.kind = "withdraw" /\ Withdraw(p, {}, 0)
      \/ Step.kind = "renew" /\ Renew(p, {}, 0)

\* Something has expired.
Passes ==
  /\ Step.kind = "time"
  /\ lock' \in {lock, Free}
  /\ queue' \in {queue, <<>>}
  /\ tombs' \in {tombs, Step.tombs \cap tombs}
  /\ UNCHANGED <<fence, net, inst, faults, closed>>

\* A waiter that has been silent for too long, or never waited, does not count.
Silent ==
  /\ \E r \in Step.silent : Place(queue, r) # {} /\ queue' = Leaves(queue, r)
  /\ UNCHANGED <<lock, fence, tombs, net, inst, faults, closed, at>>

\* A full script may make a bare lock full although no request joins its queue.
MadeFull ==
  /\ lock.bare /\ lock' = [lock EXCEPT !.bare = FALSE]
  /\ UNCHANGED <<fence, queue, tombs, net, inst, faults, closed, at>>

Follow ==
  /\ at <= Len(Observed)
  /\ \/ ((Script /\ Fair) \/ Passes) /\ Fits /\ at' = at + 1
     \/ Silent \/ MadeFull

TraceSpec == Begun /\ [][Follow]_seen

\* "Violated" as soon as the model has followed to the end.
NotFollowed == at <= Len(Observed)

\* Prints how far the model has followed.
Progress == IF at > TLCGet(1) THEN TLCSet(1, at) /\ PrintT(<<"step", at>>) ELSE TRUE
===============================================================================
