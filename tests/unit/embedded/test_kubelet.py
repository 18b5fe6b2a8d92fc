import pytest

from tests.unit.embedded.small_world import SmallWorld


@pytest.fixture
def world() -> SmallWorld:
    world = SmallWorld().start()
    world.nodes.create(2)
    world.run(0)
    return world


def test_a_bound_pod_runs_and_is_ready_at_once(world: SmallWorld) -> None:
    world.create_pod("a")
    world.run(0)
    status = world.status("a")
    assert status["phase"] == "Running"
    assert status["hostIP"] == "172.16.0.1"
    assert status["podIP"] == status["podIPs"][0]["ip"] == "10.0.0.1"
    assert world.conditions("a") == dict.fromkeys(
        ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"), "True"
    )
    [container] = status["containerStatuses"]
    assert (container["ready"], container["started"], container["restartCount"]) == (True, True, 0)
    assert "running" in container["state"]


def test_a_pod_takes_the_time_to_start_that_its_annotation_says(world: SmallWorld) -> None:
    world.create_pod("a", annotations={"nominee.dev/start-delay": "5s"})
    world.run(0)
    status = world.status("a")
    assert (status["phase"], world.conditions("a")["Ready"]) == ("Pending", "False")
    assert status["containerStatuses"][0]["state"] == {"waiting": {"reason": "ContainerCreating"}}
    world.run(4.9)
    assert world.phase("a") == "Pending"
    world.run(0.2)
    assert (world.phase("a"), world.conditions("a")["Ready"]) == ("Running", "True")


def test_a_node_says_how_long_its_pods_take_to_start(world: SmallWorld) -> None:
    world.create_node("slow", annotations={"nominee.dev/simulated": "true", "nominee.dev/start-delay": "1m"})
    world.run(0)
    world.create_pod("a", node="slow")
    world.create_pod("b", node="slow", annotations={"nominee.dev/start-delay": "0s"})
    world.run(59)
    assert (world.phase("a"), world.phase("b")) == ("Pending", "Running")


def test_a_pod_on_a_node_that_is_not_simulated_is_left_alone(world: SmallWorld) -> None:
    world.create_node("real")
    world.create_pod("a", node="real")
    world.run(60)
    assert world.phase("a") in ("None", "Pending")


def test_pods_of_a_node_that_becomes_simulated_are_run(world: SmallWorld) -> None:
    world.create_pod("a", node="late")
    world.run(1)
    world.create_node("late", labels={"nominee.dev/simulated": "true"})
    world.run(0)
    assert world.phase("a") == "Running"


def test_a_pod_with_a_duration_ends_when_it_is_over(world: SmallWorld) -> None:
    world.create_pod("a", annotations={"nominee.dev/duration": "30s"}, restartPolicy="Never")
    world.run(29)
    assert world.phase("a") == "Running"
    world.run(2)
    assert world.phase("a") == "Succeeded"
    ended = world.status("a")["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (0, "Completed")
    assert world.conditions("a")["Ready"] == "False"


def test_a_pod_fails_with_the_code_that_it_says(world: SmallWorld) -> None:
    wishes = {"nominee.dev/duration": "1s", "nominee.dev/exit-code": "3"}
    world.create_pod("a", annotations=wishes, restartPolicy="Never")
    world.run(2)
    assert world.phase("a") == "Failed"
    assert world.status("a")["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 3


def test_a_pod_that_may_be_restarted_on_failure_is(world: SmallWorld) -> None:
    wishes = {"nominee.dev/duration": "10s", "nominee.dev/exit-code": "1"}
    world.create_pod("a", annotations=wishes, restartPolicy="OnFailure")
    world.run(35)
    assert world.phase("a") == "Running"
    [container] = world.status("a")["containerStatuses"]
    assert container["restartCount"] == 3
    assert container["lastState"]["terminated"]["exitCode"] == 1


def test_a_deleted_pod_is_gone_after_a_second(world: SmallWorld) -> None:
    world.create_pod("a")
    world.run(0)
    world.delete_pod("a")
    world.run(0.9)
    assert world.pod("a") is not None
    world.run(0.2)
    assert world.pod("a") is None


def test_a_pod_may_take_all_of_its_grace_period_and_no_more(world: SmallWorld) -> None:
    world.create_pod(
        "a", annotations={"nominee.dev/termination-delay": "1h"}, terminationGracePeriodSeconds=20
    )
    world.run(0)
    world.delete_pod("a")
    world.run(19)
    assert world.pod("a") is not None
    world.run(2)
    assert world.pod("a") is None


def test_another_deletion_may_be_more_urgent(world: SmallWorld) -> None:
    world.create_pod("a", annotations={"nominee.dev/termination-delay": "1h"})
    world.run(0)
    world.delete_pod("a")
    world.run(1)
    world.delete_pod("a", grace=2)
    world.run(3)
    assert world.pod("a") is None


def test_a_pod_that_is_deleted_before_it_runs_never_does(world: SmallWorld) -> None:
    world.create_pod(
        "a", annotations={"nominee.dev/start-delay": "5s", "nominee.dev/termination-delay": "20s"}
    )
    world.run(1)
    world.delete_pod("a")
    world.run(10)
    assert world.phase("a") == "Pending"
    world.run(20)
    assert world.pod("a") is None


def test_finalizers_hold_a_pod_that_has_ended(world: SmallWorld) -> None:
    world.create_pod("a")
    world.run(0)
    pod = world.pod("a")
    assert pod is not None
    kept = {**pod, "metadata": {**pod["metadata"], "finalizers": ["example.com/keep"]}}
    world.store.update("pods", "default/a", kept)
    world.delete_pod("a")
    world.run(60)
    assert world.phase("a") == "Succeeded"


def test_a_pod_of_the_same_name_is_another_pod(world: SmallWorld) -> None:
    world.create_pod("a", annotations={"nominee.dev/duration": "30s"})
    world.run(10)
    world.delete_pod("a", grace=0)
    world.create_pod("a")
    world.run(100)
    assert world.phase("a") == "Running"


def test_readiness_gates_are_waited_for(world: SmallWorld) -> None:
    world.create_pod("a", readinessGates=[{"conditionType": "example.com/go"}])
    world.run(0)
    assert (world.phase("a"), world.conditions("a")["Ready"]) == ("Running", "False")
    pod = world.pod("a")
    assert pod is not None
    go = {"type": "example.com/go", "status": "True"}
    status = {**pod["status"], "conditions": [*pod["status"]["conditions"], go]}
    world.store.update("pods", "default/a", {**pod, "status": status})
    world.run(0)
    assert world.conditions("a")["Ready"] == "True"


def test_init_containers_have_ended_when_a_pod_runs(world: SmallWorld) -> None:
    world.create_pod("a", initContainers=[{"name": "i", "image": "init"}])
    world.run(0)
    [init] = world.status("a")["initContainerStatuses"]
    assert init["state"]["terminated"]["exitCode"] == 0


def test_a_pod_on_the_network_of_its_host_has_the_address_of_that(world: SmallWorld) -> None:
    world.create_pod("a", hostNetwork=True)
    world.run(0)
    assert world.status("a")["podIP"] == world.status("a")["hostIP"]


def test_addresses_are_used_again_only_once_they_are_free(world: SmallWorld) -> None:
    for name in ("a", "b"):
        world.create_pod(name)
    world.run(0)
    assert world.status("a")["podIP"] != world.status("b")["podIP"]


def test_another_process_goes_on_where_this_one_was(world: SmallWorld) -> None:
    world.create_pod("a", annotations={"nominee.dev/duration": "30s"})
    world.create_pod("b")
    world.run(10)
    world.delete_pod("b")
    again = SmallWorld(world.store)
    again.clock.set(world.clock.now() + 10)
    again.start()
    again.create_pod("c")
    again.run(1)
    assert again.status("c")["podIP"] != again.status("a")["podIP"]
    assert again.pod("b") is None
    again.run(20)
    assert again.phase("a") == "Succeeded"


def sized(cpu: str, **more: object) -> list[dict[str, object]]:
    return [{"name": "c", "image": "app", "resources": {"requests": {"cpu": cpu}}, **more}]


def resize(world: SmallWorld, name: str, cpu: str) -> None:
    world.change_container(name, "resize", resources={"requests": {"cpu": cpu}})
    world.run(0)


def held(world: SmallWorld, name: str) -> tuple[str, str, int]:
    [container] = world.status(name)["containerStatuses"]
    given = container["resources"]["requests"]["cpu"], container["allocatedResources"]["cpu"]
    return (*given, container["restartCount"])


def pending(world: SmallWorld, name: str) -> list[tuple[str, str]]:
    conditions = world.status(name)["conditions"]
    return [(c["reason"], c["message"]) for c in conditions if c["type"] == "PodResizePending"]


def test_a_running_pod_is_resized(world: SmallWorld) -> None:
    world.create_pod("a", containers=sized("1"))
    world.run(0)
    assert held(world, "a") == ("1", "1", 0)
    resize(world, "a", "2")
    assert (held(world, "a"), pending(world, "a")) == (("2", "2", 0), [])
    assert world.status("a")["observedGeneration"] == 2


def test_a_resize_starts_containers_again_where_their_policy_says_so(world: SmallWorld) -> None:
    policy = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
    world.create_pod("a", containers=sized("1", resizePolicy=policy))
    world.run(0)
    resize(world, "a", "2")
    assert held(world, "a") == ("2", "2", 1)


def test_a_resize_beyond_the_node_is_infeasible(world: SmallWorld) -> None:
    world.create_pod("a", containers=sized("1"))
    world.run(0)
    resize(world, "a", "33")
    assert held(world, "a") == ("1", "1", 0)
    message = "Node didn't have enough resource: cpu, requested: 33000, used: 0, capacity: 32000"
    assert pending(world, "a") == [("Infeasible", message)]


def test_a_resize_waits_until_others_make_room(world: SmallWorld) -> None:
    world.create_pod("a", containers=sized("1"))
    world.create_pod("b", containers=sized("20"))
    world.run(0)
    resize(world, "a", "13")
    assert [reason for reason, _ in pending(world, "a")] == ["Deferred"]
    world.delete_pod("b", grace=0)
    world.run(0)
    assert (held(world, "a"), pending(world, "a")) == (("13", "13", 0), [])


def test_a_container_with_another_image_is_started_again(world: SmallWorld) -> None:
    world.create_pod("a")
    world.run(0)
    world.change_container("a", image="app:2")
    world.run(0)
    [container] = world.status("a")["containerStatuses"]
    assert (container["image"], container["restartCount"]) == ("app:2", 1)
    assert container["lastState"]["terminated"]["reason"] == "Completed"
