import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { deploymentStoreContract } from "./DeploymentStore.contract.ts"
import { DeploymentStore } from "./DeploymentStore.ts"

deploymentStoreContract("on PostgreSQL", TestStores, DeploymentStore.layerSql)
deploymentStoreContract("in memory", MemoryStores, DeploymentStore.layerMemory)
