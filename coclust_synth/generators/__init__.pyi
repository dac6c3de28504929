from .derived.hierarchies import derive_hierarchies as derive_hierarchies
from .dp.dpcocgen import DPCocGen as DPCocGen
from .kanon.coc import COCAnonymizer as COCAnonymizer
from .kanon.coc import COCHGAnonymizer as COCHGAnonymizer
from .kanon.hybrid import HybridKAnonymizer as HybridKAnonymizer
from .plain.synthesizer import CoclusterSynthesizer as CoclusterSynthesizer
from .release_plan import ReleasePlan as ReleasePlan
