import { S3Stores } from "../objects/testing/S3Stores.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { deploymentStepsContract } from "./DeploymentSteps.contract.ts"
import { deploymentStoreContract } from "./DeploymentStore.contract.ts"
import { DeploymentStore } from "./DeploymentStore.ts"

deploymentStoreContract("on PostgreSQL", TestStores, DeploymentStore.layerSql)
deploymentStoreContract("on PostgreSQL and an S3", S3Stores, DeploymentStore.layerSql)
deploymentStoreContract("in memory", MemoryStores, DeploymentStore.layerMemory)

deploymentStepsContract("its steps on PostgreSQL", TestStores)
deploymentStepsContract("its steps in memory", MemoryStores)
