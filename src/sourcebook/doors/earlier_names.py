"""The client's earlier method names, kept as aliases of the doors' methods."""

from __future__ import annotations

from sourcebook.doors.conversations import ConversationsDoor
from sourcebook.doors.curated import CuratedDoor
from sourcebook.doors.library import LibraryDoor
from sourcebook.doors.maintenance import MaintenanceDoor
from sourcebook.doors.quality import QualityDoor
from sourcebook.doors.terminology import TerminologyDoor
from sourcebook.ports.forward import forward


class EarlierNames:
    """`book.kb_insert` is `book.curated.insert`, and so on."""

    create_session = forward("conversations", ConversationsDoor.create)
    sessions = forward("conversations", ConversationsDoor.latest)
    session = forward("conversations", ConversationsDoor.get)
    rename_session = forward("conversations", ConversationsDoor.rename)
    remove_session = forward("conversations", ConversationsDoor.remove)
    export_session = forward("conversations", ConversationsDoor.export)

    kb_insert = forward("curated", CuratedDoor.insert)
    kb_source = forward("curated", CuratedDoor.source)
    kb_search = forward("curated", CuratedDoor.search)
    kb_list = forward("curated", CuratedDoor.all)
    kb_remove = forward("curated", CuratedDoor.remove)

    documents = forward("library", LibraryDoor.documents)
    find_document = forward("library", LibraryDoor.find)
    document = forward("library", LibraryDoor.get)
    page_picture = forward("library", LibraryDoor.page_picture)
    remove_document = forward("library", LibraryDoor.remove)
    hide_document = forward("library", LibraryDoor.hide)
    unhide_document = forward("library", LibraryDoor.unhide)
    collections = forward("library", LibraryDoor.collections)
    create_collection = forward("library", LibraryDoor.create_collection)
    remove_collection = forward("library", LibraryDoor.remove_collection)

    get_all_terms = forward("terminology", TerminologyDoor.all)
    add_term = forward("terminology", TerminologyDoor.add)
    delete_term = forward("terminology", TerminologyDoor.remove)

    evaluate = forward("quality", QualityDoor.evaluate)
    replay = forward("quality", QualityDoor.replay)
    calibrate = forward("quality", QualityDoor.calibrate)
    apply_calibration = forward("quality", QualityDoor.apply_calibration)
    decided_questions = forward("quality", QualityDoor.decided_questions)
    explain_document = forward("quality", QualityDoor.explain_document)

    backup = forward("maintenance", MaintenanceDoor.backup)
    restore = forward("maintenance", MaintenanceDoor.restore)
    copy_to = forward("maintenance", MaintenanceDoor.copy_to)
    export = forward("maintenance", MaintenanceDoor.export)
    import_bundle = forward("maintenance", MaintenanceDoor.import_bundle)
    plan_reindex = forward("maintenance", MaintenanceDoor.plan_reindex)
    reindex = forward("maintenance", MaintenanceDoor.reindex)
    doctor = forward("maintenance", MaintenanceDoor.doctor)
    repair = forward("maintenance", MaintenanceDoor.repair)
