-------------------------------- MODULE Trace --------------------------------
\* Compares runs of the code with the model. The simulation writes the module Observed: for each run, the scripts that a
\* simulated Redis ran, and the visible state after each. The checker tries the steps of HandOver that fit. If no such
\* steps lead to the end of a run, model and code differ.
\*
\* Time is left open: a lock, a queue, a tombstone or a silent waiter may expire whenever the run shows that it did. The
\* check of "inside" shows that nothing expired too early.
EXTENDS HandOver, Observed

VARIABLES
  run,  \* the number of the run
  at    \* its next step

seen == <<run, at, vars>>
Steps == Observed[run]
Step == Steps[at]

\* No reply arrives in a trace, because the sender of each question no longer waits.
Begun ==
  /\ Init
  /\ run \in 1..Len(Observed)
  /\ at = 1
  /\ TLCSet(run, 0)

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

\* The instances of many runs have too many permutations.
NoSymmetry == {}

\* The code may grant a full lock although no request waits.
EitherForm(others) == {FALSE, others = <<>>}

\* A request that does not wait does not join, and leaves another owner's lock as it is.
Refused(p) == Step.kind = "try" /\ lock.owner \notin {Nobody, Owner(p.req)}

\* The fence may still know that the request has released the lock, even if another one has it now.
Copied(p) == Step.kind \in {"acquire", "try"} /\ p.req \in closed

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
  /\ at <= Len(Steps)
  /\ UNCHANGED run
  /\ \/ ((Script /\ Fair) \/ Passes) /\ Fits /\ at' = at + 1
     \/ Silent \/ MadeFull

TraceSpec == Begun /\ [][Follow]_seen

\* Prints how far the model has followed each run. No other way is tried for a run that it has followed to the end.
Progress ==
  /\ TLCGet(run) <= Len(Steps)
  /\ at > TLCGet(run) => TLCSet(run, at) /\ PrintT(<<IF at > Len(Steps) THEN "end" ELSE "step", Seeds[run], at>>)
===============================================================================
