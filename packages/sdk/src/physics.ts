/** A physics world for rooms: `@atrium/sdk/physics`. Rapier itself is a dependency of the game. */
export { physics, type BodyBinding, type Physics, type PhysicsOptions } from "./physics/Physics.ts"
export type { RapierModule } from "./physics/Rapier.ts"
