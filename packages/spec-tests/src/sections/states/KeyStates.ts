import { isSuccess, isRefusal } from "../../check/Answers.ts"
import { same } from "../../check/Expect.ts"
import { keysAsModelled } from "../../models/ModelChecks.ts"
import { keysInSomeOrder } from "../../models/Races.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import { section, tierB, tierA, rowOf } from "../Section.ts"

/** Lines 183 to 190 of the specification: States and transitions, keys. */
export const keyStatesSection = section("States and transitions", {
  "state.room.filter-classes": tierB(183, "rooms are awake or not awake for the filters", {
    is: { asleep: "hibernated", awake: "active=true", notAwake: "active=false" },
    check: {
      needs: ["fixture"],
      title: "every room is in exactly one of active=true and active=false",
      run: withRooms(async (stage) => {
        await stage.played("asleep-1")
        await stage.played("asleep-2")
        await stage.client("awake-1")
        await stage.client("awake-2")
        const awake = (await stage.roomIds("?active=true")).toSorted()
        const others = (await stage.roomIds("?active=false")).toSorted()
        same("active=true", awake, ["awake-1", "awake-2"])
        same("active=false", others, ["asleep-1", "asleep-2"])
        same("all", (await stage.roomIds()).toSorted(), [...others, ...awake].toSorted())
        same("of a sleeping room", (await stage.row("asleep-1"))?.["status"], "hibernated")
      })
    }
  }),
  "state.room.transitions-unlisted": tierB(183, "the room transition table is not given", {
    level: "decided",
    decisions: ["D-14"],
    is: {
      joined: ["starting", "awake"],
      left: ["awake", "draining", "hibernated"],
      woken: ["hibernated", "starting", "awake"],
      crashed: "closed"
    },
    provedBy: ["rooms.row.status.values", "state.worker.three-restarts-close#closes"]
  }),
  "state.key.post-active": tierA(
    189,
    "POST keys with a login credential makes an active key, secret once",
    {
      move: {
        subject: "key",
        from: "none",
        trigger: "POST keys",
        guard: "valid login credential",
        to: "active"
      },
      check: [
        {
          title: "a key works from its mint on, until it is revoked",
          run: async (trial) => {
            const project = await trial.project()
            const [key, other] = [await project.key("rooms:read"), await project.key("rooms:read")]
            for (const { secret } of [key, other])
              isSuccess(await project.ask("/rooms", { bearer: secret }))
            isSuccess(await project.ask(`/keys/${key.keyId}`, { method: "DELETE" }))
            for (let uses = 0; uses < 5; uses++) {
              const late = await project.ask("/rooms", { bearer: key.secret })
              isRefusal(trial, late, rowOf("error", "state.key.revoked-401"))
            }
            isSuccess(await project.ask("/rooms", { bearer: other.secret }))
          }
        },
        keysAsModelled
      ]
    }
  ),
  "state.key.delete-revoked": tierA(
    190,
    "DELETE key moves any key to revoked; row stays with the time",
    {
      decisions: ["D-19"],
      move: { subject: "key", from: "active", trigger: "DELETE key", to: "revoked" },
      provedBy: ["keys.row.revoked-time", "state.key.post-active#model"],
      check: keysInSomeOrder
    }
  ),
  "state.key.revoked-401": tierA(190, "use after revoke answers 401", {
    error: { outcome: { status: 401, code: "E_UNAUTHENTICATED" } },
    provedBy: ["state.key.post-active", "state.key.delete-revoked"]
  })
})
