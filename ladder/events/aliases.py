"""Names that an event gives: to bots always, to people where the event chooses their aliases. They say nothing."""

from __future__ import annotations

from typing import Final

_TREES: Final = (
    "Acacia Alder Almond Apple Ash Aspen Beech Birch Blackthorn Box Buckthorn Cedar Cherry Chestnut Cypress Elder Elm "
    "Fig Fir Hawthorn Hazel Holly Hornbeam Juniper Larch Laurel Lemon Lilac Lime Linden Magnolia Maple Medlar Mulberry "
    "Myrtle Oak Olive Palm Pear Pine Plane Plum Poplar Quince Rowan Spruce Sycamore Thuja Walnut Willow Yew"
)
_BIRDS: Final = (
    "Bunting Buzzard Crane Crow Cuckoo Curlew Dove Dunlin Eagle Finch Gannet Goldcrest Grebe Gull Harrier Heron Hoopoe "
    "Jackdaw Jay Kestrel Kingfisher Kite Lapwing Lark Linnet Magpie Martin Nightingale Nuthatch Oriole Osprey Owl "
    "Pipit Plover Raven Redstart Robin Rook Shrike Siskin Snipe Sparrow Starling Stork Swallow Swan Swift Tern Thrush "
    "Wagtail Warbler Waxwing Woodpecker Wren"
)
GIVEN: Final = tuple(f"{tree} {bird}" for bird in _BIRDS.split() for tree in _TREES.split())
"""More than 2,500 names."""
