import Rapier2 from "@dimforge/rapier2d-deterministic-compat"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"
import { beforeAll, describe, expect, test } from "vitest"

import { guardModule } from "./FiniteGuard.ts"

beforeAll(async () => {
  await Promise.all([Rapier2.init(), Rapier3.init()])
  guardModule(Rapier2, 2)
  guardModule(Rapier3, 3)
})

/** They ask, remove by a handle, take an index, or are called by the library itself. */
const Harmless = `
  anchor1 anchor2 angularCorrection angvel attachParticle attachmentBody attachmentParticle castClosure castCollider
  castRay castRayAndGetNormal castShape cellRestVolume cellStiffnessScale cellStress cellTearResistance centerOfMass
  clusterParticles clusterProxy clusterShapeMatchingEnabled clusterSplitCluster clusterSplitKeepsProxy
  clusterSplitProxy clusterSplitSoftBody clusterSplitSource collider collidersWithAabbIntersectingAabb
  combineVoxelStates contactCollider contactDist contactFid1 contactFid2 contactImpulse contactPair contactPairsWith
  contactShape contactTangentImpulse contactTangentImpulseX contactTangentImpulseY contains containsPoint debugRender
  deserializeAll detachParticle dihedralRestAngle drainCollisionEvents drainContactForceEvents drainSoftBodyTearEvents
  edgeImpulse edgePlasticStrain edgeRestLength edgeStress edgeTearResistance effectiveAngularInertia effectiveInvMass
  effectiveWorldInvInertia finalizeDeserialization finishTopologyChange forEach forEachActiveRigidBody
  forEachActiveRigidBodyHandle forEachCollider forEachJointHandleAttachedToRigidBody forEachRigidBody forEachSoftBody
  frameX1 frameX2 get getCollider getImpulseJoint getMultibodyJoint getRigidBody getSoftBody halfExtents
  heightfieldScale intersectionPair intersectionPairsWith intersectionWithShape intersectionsWithPoint
  intersectionsWithRay intersectionsWithShape intersectsRay intersectsShape invPrincipalInertia isClusterLive
  isEdgeBend isMeshOriented isMeshSkinned isParticleDamaged isParticleOnSurface isParticlePinned linearCorrection
  linvel localCom localContactPoint1 localContactPoint2 localNormal1 localNormal2 mapNewBodies mapNewColliders
  mapNewSoftBodies maxForceDirection meshCluster meshCollider meshCollisionEnabled meshIndices meshOfCollider
  meshVertices nextRotation nextTranslation normal particleDestination particleMass particlePosition
  particleRestPosition particleVelocity pieceClusters pieceParticles pieceSoftBody pointAt principalInertia
  principalInertiaLocalFrame projectPoint projectPointAndGetFeature propagateVoxelChange remove
  removeCharacterController removeCluster removeCollider removeImpulseJoint removeMultibodyJoint removePidController
  removeRigidBody removeSoftBody removeSoftBodyCluster removeVehicleController render resetForces resetTorques
  rotation rotationWrtParent serializeAll solverContactDist solverContactPoint solverContactTangentVelocity step
  totalForce translation translationWrtParent unmap userForce userTorque velocityAtPoint wakeUp wakeUpSoftBody
  wheelAxleCs wheelBrake wheelChassisConnectionPointCs wheelContactNormal wheelContactPoint wheelDirectionCs
  wheelEngineForce wheelForwardImpulse wheelFrictionSlip wheelGroundObject wheelHardPoint wheelIsInContact
  wheelMaxSuspensionForce wheelMaxSuspensionTravel wheelRadius wheelRotation wheelSideFrictionStiffness
  wheelSideImpulse wheelSteering wheelSuspensionCompression wheelSuspensionForce wheelSuspensionLength
  wheelSuspensionRelaxation wheelSuspensionRestLength wheelSuspensionStiffness worldCom
`

/** Methods that take a value and that the guard lets through: the list is of these versions of the library. */
const unguarded = (module: object): ReadonlyArray<string> =>
  Object.values(module).flatMap((value: unknown) => {
    if (typeof value !== "function" || typeof value.prototype !== "object") return []
    const properties = Object.entries(Object.getOwnPropertyDescriptors(value.prototype))
    return properties.flatMap(([name, { value: method }]) =>
      typeof method === "function" &&
      name !== "constructor" &&
      method.length > 0 &&
      method.name !== "checked"
        ? [name]
        : []
    )
  })

test("[C-862] the guard lets through no method that puts a number into a world", () => {
  const names = new Set([...unguarded(Rapier2), ...unguarded(Rapier3)])
  expect([...names].sort()).toEqual(Harmless.trim().split(/\s+/))
})

describe("an infinite bound", () => {
  const { ColliderDesc, RigidBodyDesc, JointData } = Rapier3

  test("[C-862] is taken for the forces of a collider, before and after the collider is made", () => {
    const world = new Rapier3.World({ x: 0, y: 0, z: 0 })
    const collider = world.createCollider(
      ColliderDesc.ball(1).setContactForceEventThreshold(Infinity)
    )
    expect(collider.contactForceEventThreshold()).toBe(Infinity)
    collider.setContactForceEventThreshold(Infinity)
    const nan = Object.assign(ColliderDesc.ball(1), { contactForceEventThreshold: Number.NaN })
    expect(() => world.createCollider(nan)).toThrow("contactForceEventThreshold = NaN")
  })

  test("[C-862] is taken for the limits of a joint, and NaN is refused", () => {
    const world = new Rapier3.World({ x: 0, y: 0, z: 0 })
    const [one, other] = [1, 2].map(() => world.createRigidBody(RigidBodyDesc.dynamic()))
    if (one === undefined || other === undefined) throw new Error("no bodies")
    const at = { x: 0, y: 0, z: 0 }
    const data = JointData.prismatic(at, at, { x: 1, y: 0, z: 0 })
    const join = (limits: [number, number]) =>
      world.createImpulseJoint(
        Object.assign(data, { limitsEnabled: true, limits }),
        one,
        other,
        true
      )
    expect(join([0, Infinity]).handle).toBeDefined()
    expect(() => join([0, Number.NaN])).toThrow("limits = NaN")
  })
})

test("[C-862] a blade of NaN is refused before it cuts a soft body", () => {
  const world = new Rapier3.World({ x: 0, y: 0, z: 0 })
  // The guard answers before the library sees either.
  const blade = [{ x: Number.NaN, y: 0, z: 0 }] as never
  expect(() => world.cutSoftBody({ handle: 0 } as never, blade)).toThrow(
    "World.cutSoftBody: x = NaN"
  )
})
