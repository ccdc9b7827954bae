import Rapier2 from "@dimforge/rapier2d-deterministic-compat"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"

import { heap, marbles3, world3 } from "./Marbles.ts"
import { PhysicsStage } from "./PhysicsStage.ts"

/** Before the first world. */
export const bothRapiers = () => Promise.all([Rapier2.init(), Rapier3.init()])

/** A room of marbles that begins with so many, one above the other. */
export const stageOf = (count = 1) =>
  PhysicsStage.start(marbles3, {
    physics: world3,
    onCreate: ({ state }) => {
      for (const at of heap(count)) state.balls.add(at)
    }
  })
