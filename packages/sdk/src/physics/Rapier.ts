// The parts of Rapier that the SDK calls, in both dimensions. The library is the game's own: it is a peer of its bundle.

/** The module `@dimforge/rapier2d-deterministic-compat` or `@dimforge/rapier3d-deterministic-compat`, or one like it. */
export interface RapierModule {
  init(): Promise<void>
  version(): string
  readonly World: {
    new (gravity: never): {
      createRigidBody(desc: never): object
      createCollider(desc: never, parent?: never): object
    }
  }
}

/** The class `World` of a module. */
export type WorldOf<R extends RapierModule> = InstanceType<R["World"]>

/** The class `RigidBody` of a module. */
export type BodyOf<R extends RapierModule> = ReturnType<WorldOf<R>["createRigidBody"]>

/** The class `RigidBodyDesc` of a module. */
export type BodyDescOf<R extends RapierModule> = Parameters<WorldOf<R>["createRigidBody"]>[0]

/** The class `ColliderDesc` of a module. */
export type ColliderDescOf<R extends RapierModule> = Parameters<WorldOf<R>["createCollider"]>[0]

/** `z` is there in three dimensions. */
export interface Vector {
  x: number
  y: number
  z?: number
}

export interface Quaternion {
  x: number
  y: number
  z: number
  w: number
}

/** An angle in two dimensions, a quaternion in three. */
export type Rotation = number | Quaternion

export interface Hit {
  readonly timeOfImpact: number
  readonly normal: Vector
}

export interface Shape {
  // oxlint-disable-next-line max-params -- as Rapier has it.
  castRayAndGetNormal(
    ray: object,
    position: Vector,
    rotation: Rotation,
    maxToi: number,
    solid: boolean
  ): Hit | null
  containsPoint(position: Vector, rotation: Rotation, point: Vector): boolean
}

export interface Collider {
  readonly shape: Shape
  parent(): { readonly handle: number } | null
  translationWrtParent(): Vector | null
  rotationWrtParent(): Rotation | null
}

export interface Body {
  readonly handle: number
  translation(): Vector
  rotation(): Rotation
  linvel(): Vector
  angvel(): number | Vector
  userForce(): Vector
  userTorque(): number | Vector
  worldCom(): Vector
  mass(): number
  isSleeping(): boolean
  numColliders(): number
  collider(index: number): Collider
  setTranslation(to: Vector, wakeUp: boolean): void
  setRotation(to: Rotation, wakeUp: boolean): void
  setLinvel(to: Vector, wakeUp: boolean): void
  setAngvel(to: number | Vector, wakeUp: boolean): void
  setBodyType(to: number, wakeUp: boolean): void
  setNextKinematicTranslation(to: Vector): void
  setNextKinematicRotation(to: Rotation): void
}

export interface World {
  gravity: Vector
  timestep: number
  step(): void
  takeSnapshot(): Uint8Array
  createRigidBody(desc: unknown): Body
  createCollider(desc: unknown, parent?: Body): object
  getRigidBody(handle: number): Body | null | undefined
  removeRigidBody(body: Body): void
  free(): void
  // oxlint-disable-next-line max-params -- as Rapier has it.
  castRayAndGetNormal(
    ray: object,
    maxToi: number,
    solid: boolean,
    flags: undefined,
    groups: undefined,
    exceptCollider: undefined,
    exceptBody: undefined,
    filter: (collider: Collider) => boolean
  ): Hit | null
}

/** A module with the types of both dimensions. */
export interface Rapier {
  init(): Promise<void>
  version(): string
  readonly World: {
    new (gravity: Vector): World
    restoreSnapshot(bytes: Uint8Array): World | null
  }
  readonly RigidBodyType: { readonly Dynamic: number; readonly KinematicPositionBased: number }
  readonly Ray: new (origin: Vector, dir: Vector) => object
}

// The compiler cannot compare two modules whose vectors differ; each of them has these names.
export const rapierOf = (module: RapierModule): Rapier => module as unknown as Rapier

/** The dimensions of a module: quaternions are in three only. */
export const dimensionsOf = (module: object): 2 | 3 => ("Quaternion" in module ? 3 : 2)

/** Rapier finds a body by its place alone: another one may have the place of a body that is gone. */
export const bodyAt = (world: World, handle: number): Body | undefined => {
  const body = world.getRigidBody(handle)
  return body?.handle === handle ? body : undefined
}
